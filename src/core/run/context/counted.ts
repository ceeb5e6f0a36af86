/** What a provider counted of the newest request, for each token of our estimate of it. */
export interface Counted {
  readonly model: string
  readonly ratio: number
}

/** A provider may count what is no part of the conversation, and a test what it likes. */
const [LEAST, MOST] = [0.5, 4]

/** `before` if there is nothing to compare. */
export function countedBy(
  before: Counted | null,
  {
    model,
    estimated = 0,
    tokens,
  }: { readonly model: string; readonly estimated?: number | undefined; readonly tokens: number },
): Counted | null {
  if (!(estimated > 0 && tokens > 0)) return before
  return { model, ratio: Math.min(MOST, Math.max(LEAST, tokens / estimated)) }
}

/** The factor of an estimate for this model. */
export function ratioFor(counted: Counted | null, model: string): number {
  return counted?.model === model ? counted.ratio : 1
}
