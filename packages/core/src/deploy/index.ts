/**
 * Checks a deployment before it is made: whether the new code can run everything that is in flight.
 *
 * @module
 */
export { checkDeploy } from "./check-deploy.ts";
export { checkManifest, type CheckManifestOptions } from "./check-manifest.ts";
export { type CheckDeployOptions } from "./code.ts";
export { type Manifest, type ManifestType } from "./manifest.ts";
export { manifestOf, type ManifestOptions } from "./manifest-of.ts";
export { type DeployFinding, type DeployFindingCode, type DeployFindingLevel, type DeployReport } from "./report.ts";
