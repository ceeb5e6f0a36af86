/** The languages whose colours the page knows, by the names that the highlighter knows them by. */
const ENDS = {
  bash: 'sh bash zsh ksh shell console',
  c: 'c h',
  css: 'css',
  dockerfile: 'dockerfile containerfile docker',
  go: 'go golang',
  ini: 'ini toml cfg properties editorconfig',
  java: 'java',
  json: 'json jsonc json5',
  python: 'py pyi python',
  ruby: 'rb ruby gemfile rakefile',
  rust: 'rs rust',
  sql: 'sql psql ddl',
  typescript: 'ts tsx mts cts js jsx mjs cjs typescript javascript',
  xml: 'html htm xml svg vue xhtml',
  yaml: 'yaml yml',
} as const

export type Language = keyof typeof ENDS

const LANGUAGES: ReadonlyMap<string, Language> = new Map(
  Object.entries(ENDS).flatMap(([language, ends]) => ends.split(' ').map(end => [end, language as Language] as const)),
)

/** By the end of a path, or its whole last part: `src/a.ts`, `Dockerfile`. `null` if no colours are known for it. */
export function languageOfPath(path: string): Language | null {
  const name = path.trim().split(/[/\\]/).at(-1)?.toLowerCase() ?? ''
  return LANGUAGES.get(name.split('.').at(-1) ?? '') ?? LANGUAGES.get(name.split('.', 1)[0] ?? '') ?? null
}

/** By the words after the fence of a block of code: `ts`, `ts title="a.ts"`. */
export function languageOfFence(info: string): Language | null {
  return LANGUAGES.get(/^[\w+-]+/.exec(info.trim().toLowerCase())?.[0] ?? '') ?? null
}
