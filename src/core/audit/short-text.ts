/** The words of strangers, cut. */
export function shortText(said: unknown): string {
  return String(said).slice(0, 100)
}
