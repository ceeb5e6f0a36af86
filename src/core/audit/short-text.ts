/** The words of strangers, cut. */
export function shortText(value: unknown): string {
  return String(value).slice(0, 100)
}
