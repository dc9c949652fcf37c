import { useId } from "preact/hooks";
import { get } from "../data/api.ts";
import { useResource } from "../data/resource.ts";
import { TextField } from "./text-field.tsx";

interface TypeFieldProps {
  /** Default: `Job type`. */
  readonly label?: string;
  readonly value: string;
  readonly onChange: (typeName: string) => void;
}

/** A field for a job type that suggests the existing types. */
export function TypeField({ label = "Job type", value, onChange }: TypeFieldProps) {
  const id = useId();
  const { data } = useResource("types", (signal) => get("overview", {}, signal));
  return (
    <>
      <TextField label={label} placeholder={label} value={value} onChange={onChange} list={id} />
      <datalist id={id}>
        {data.value?.types.map(({ typeName }) => (
          <option key={typeName} value={typeName} />
        ))}
      </datalist>
    </>
  );
}
