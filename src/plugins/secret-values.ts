/** Shorter ones turn up by chance. */
const SHORTEST = 8

const SECRET_VARIABLE = /key(?!board)|token|secret|passw|passphrase|credential/i
/** Variables that name the place of a secret, not the secret. */
const PLACE = /_(?:dir|file|path)$/i

/** Values of the variables whose names tell of a secret, also as they read inside JSON and inside a URL. */
export function secretValuesIn(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const values = Object.entries(env)
    .filter(([name]) => SECRET_VARIABLE.test(name) && !PLACE.test(name))
    .map(([, value]) => value?.trim() ?? '')
    .filter(value => value.length >= SHORTEST)
  return [...new Set(values.flatMap(value => [value, JSON.stringify(value).slice(1, -1), inUrl(value)]))]
}

/** Half of a pair of surrogates has no form in a URL. */
function inUrl(value: string): string {
  return encodeURIComponent(value.toWellFormed())
}
