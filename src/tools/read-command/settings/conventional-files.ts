/** Files that a program runs, or takes what it runs from, without being told: `make` runs what `Makefile` says. */
// biome-ignore format: the table is the documentation
const ROWS: readonly (readonly [programs: string, files: RegExp])[] = [
  ['make gmake',                     /(^|\/)(GNUm|m|M)akefile$/],
  ['npm npx yarn pnpm bun',          /(^|\/)(package\.json|\.npmrc|\.yarnrc(\.yml)?|\.pnpmfile\.cjs|bunfig\.toml)$/],
  ['git',                            /(^|\/)(\.git\/(config|hooks\/.*)|\.husky\/.*|\.gitconfig)$/],
  ['pytest py.test python tox nox',  /(^|\/)(conftest\.py|pytest\.ini|tox\.ini|noxfile\.py|sitecustomize\.py)$/],
  ['pip uv poetry',                  /(^|\/)(setup\.py|pyproject\.toml)$/],
  ['cargo',                          /(^|\/)(build\.rs|Cargo\.toml|\.cargo\/config(\.toml)?)$/],
  ['docker podman docker-compose',   /(^|\/)(docker-)?compose\.ya?ml$/],
  ['gradle gradlew',                 /(^|\/)(build|settings)\.gradle(\.kts)?$/],
  ['mvn mvnw',                       /(^|\/)pom\.xml$/],
  ['rake bundle',                    /(^|\/)(Rakefile|Gemfile)$/],
  ['direnv',                         /(^|\/)\.envrc$/],
  ['just',                           /(^|\/)\.?[jJ]ustfile$/],
]

const FILES = new Map(ROWS.flatMap(([programs, files]) => programs.split(' ').map(program => [program, files])))

/** A pattern of the files that the program runs by convention. `python3.12` is `python`. */
export function filesRunBy(program: string): RegExp[] {
  return [FILES.get(program) ?? FILES.get(program.replace(/[-.\d]+$/, '')) ?? []].flat()
}

const TO_THE_LAST = /^g?(cp|mv|ln|link|install|ditto|rsync)$/
const TO_EACH = /^g?(tee|curl|wget|dd|scp|sponge)$/
const IN_PLACE = /^(g?sed|perl|yq)$/
const OPTION_IN_PLACE = /^(-[A-Za-z0-9]*i|--in-p)/
/** Directories in which names alone count. */
const DIRECTORY = /^(\.|\.\/|(\.\/)?\.git\/hooks\/?)$/

/** The paths that a command may write. `names` are those of its words, or of the program alone if it wraps no other. */
export function pathsWritten(names: readonly string[], words: readonly string[]): string[] {
  const at = names.findIndex(name => TO_THE_LAST.test(name) || TO_EACH.test(name) || IN_PLACE.test(name))
  if (at < 0) return []
  const name = names[at] ?? ''
  const operands = words.slice(at + 1)
  if (TO_THE_LAST.test(name)) return targetsOf(operands.filter(word => !word.startsWith('-')))
  if (IN_PLACE.test(name) && (!operands.some(word => OPTION_IN_PLACE.test(word)) || setsVersion(operands))) return []
  return operands.map(word => word.replace(/^(of=|-o)/, ''))
}

/** `s/1.0.0/1.0.1/`, `s/"vitest": "^1"/"vitest": "^2"/`: no such text is a command. */
const VERSION = /^s([/|#,])(?:(?!\1)[^\\\n]|\\.)*\1(?:"?[\w@/.-]+"?\s*[:=]\s*)?["']?[\^~]?\d[\w.+-]*["']?,?\1g?$/

function setsVersion(operands: readonly string[]): boolean {
  const isPlain = operands.every(word => !word.startsWith('-') || /^-(i|E|i\.\w+)$/.test(word))
  return isPlain && VERSION.test(operands.find(word => word !== '' && !word.startsWith('-')) ?? '')
}

function targetsOf(operands: readonly string[]): string[] {
  const target = operands.at(-1) ?? ''
  if (!DIRECTORY.test(target)) return [target]
  return operands.slice(0, -1).map(word => `${target}/${word.slice(word.lastIndexOf('/') + 1)}`)
}
