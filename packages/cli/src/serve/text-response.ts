/** A response of plain text. It is not kept, and its address, which may contain a sign-in, is told to no one. */
export function textResponse(text: string, status: number, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(text, {
    status,
    headers: {
      "content-type": "text/plain; charset=utf-8",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
      ...headers,
    },
  });
}
