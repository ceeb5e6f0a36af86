/**
 * How many tokens models read at most, by their name without the provider. The first pattern that fits counts. Sources:
 * the pages of the providers about their models. A model that is not here is learnt from its provider's refusals, or set.
 */
const WINDOWS: readonly (readonly [name: RegExp, tokens: number])[] = [
  // platform.claude.com/docs/en/about-claude/models/overview: larger ones are asked for with a header.
  [/claude-(\d|opus|sonnet|haiku)/, 200_000],
  // platform.openai.com/docs/models
  [/^gpt-4\.1/, 1_047_576],
  [/^(gpt-5.*chat|gpt-4o|gpt-4-turbo|chatgpt-4o)/, 128_000],
  [/^gpt-5/, 400_000],
  [/^gpt-4(-0613)?$/, 8_192],
  [/^gpt-3\.5/, 16_385],
  [/^(o1-mini|o1-preview)/, 128_000],
  [/^(o1|o3|o4)(-|$)/, 200_000],
  // ai.google.dev/gemini-api/docs/models
  [/^gemini-1\.5-pro/, 2_097_152],
  [/^gemini-(1\.5|2|3)/, 1_048_576],
]

/** `null` if it is not known. */
export function windowOf(id: string): number | null {
  const name = id.slice(id.indexOf('/') + 1)
  return WINDOWS.find(([pattern]) => pattern.test(name))?.[1] ?? null
}
