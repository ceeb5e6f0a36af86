import { programName, usesOf } from '../programs/programs.ts'
import type { ReadWord } from '../text/read-word.ts'
import { pathsWritten } from './written-paths.ts'

/** Where in a command line something happens: the position of a command, and the number of the command. */
export interface Moment {
  readonly at: number
  readonly command: number
}

/**
 * Programs that run files which they find themselves or which their words name: interpreters, build tools, test
 * runners.
 */
const LOADS =
  /^(?:g?make|cmake|ninja|meson|just|task|rake|npm|npx|pnpm|yarn|bun|bunx|pip|poetry|uv|bundle|gem|composer|cargo|go|python|pypy|mvnw?|gradlew?|ant|java|dotnet|pytest|py\.test|tox|nox|jest|vitest|mocha|tsc|eslint|webpack|vite|direnv|terraform|tofu)$/
const GIT_LOADS = /(?:^|\/)(?:\.git\/.*|\.husky\/.*|hooks\/.*|\.gitconfig|\.gitattributes|config)$/
/** Programs that run a file which their words name. */
const TAKES_FILE = /^(?:g?sed|[gmn]?awk|sqlite3?|psql|tmux|ssh|scp|wget|curl|gpg|prove|tclsh)$/
/** Names of files that nothing runs by convention. */
const IS_DATA =
  /(?:^|\/)(?!requirements|CMakeLists)[^/]*\.(?:txt|log|out|md|csv|patch|diff|html|svg|png|pdf|lock)$|(?:^|\/)\.?env$/
const NO_FILE = /^\/dev\/(?:null|tty|std\w+|fd\/\d+)$/

const MOST_LOOKS = 1_000_000

interface Written extends Moment {
  /** `null`: it is not known which. */
  readonly path: string | null
}

interface Run extends Moment {
  readonly texts: readonly string[]
  readonly role: string
}

/** Files that a line makes and then runs: `echo 'rm v' > s; ./s`. Policy cannot know what they do. */
export class OwnFiles {
  readonly #written: Written[] = []
  readonly #run: Run[] = []
  /** True if the line sets the search path of programs. */
  readonly #searches: boolean
  readonly #movesIntoGit: boolean
  /** True if the line makes or fetches an archive. */
  readonly #brings: boolean
  #lasts = false
  #odd: string | null = null

  constructor(line: string) {
    this.#searches = /PATH\b/.test(line)
    this.#brings = /\b(?:curl|wget)\b|\btar\s+-?-?c/.test(line)
    this.#movesIntoGit = /\bcd\b[^;&|\n]{0,200}\.git\b/.test(line)
  }

  /** Called when parts may run in another order than they are written in. */
  last(): void {
    this.#lasts = true
  }

  write(path: string | null, moment: Moment): void {
    if (path === null || !NO_FILE.test(path)) this.#written.push({ ...moment, path })
    if (path !== null && /(?:^|\/)-|\|/.test(path)) this.#odd ??= path
  }

  take(words: readonly ReadWord[], moment: Moment): void {
    const texts = words.map(({ text }) => text)
    for (const path of pathsWritten(texts)) this.write(path, moment)
    if (this.#brings && isExtraction(texts)) this.write(null, moment)
    this.#run.push({ ...moment, texts, role: usesOf(texts)[0]?.role ?? 'inert' })
  }

  /** Why what it runs is not known; `null` if no such file is run. */
  why(): string | null {
    if (this.#written.length * this.#run.length > MOST_LOOKS) return 'it makes too many files to tell what they are for'
    if (this.#odd !== null) return `some program may take the name ${this.#odd} for an option or a command`
    for (const written of this.#written) {
      const isBehind = ({ at, command }: Moment) => command !== written.command && (this.#lasts || at >= written.at)
      const found = this.#run.find(run => isBehind(run) && this.#mayLoad(run, written.path))
      if (found) return `${found.texts[0]} may run ${written.path ?? 'a file'}, which the command itself makes`
    }
    return null
  }

  #mayLoad({ texts: [program = '', ...operands], role }: Run, path: string | null): boolean {
    const name = programName(program).replace(/(?<=\D)[-.\d]+$/, '')
    const runsCode = role === 'code' || role === 'shell' || isByPath(program) || LOADS.test(name)
    if (path !== null && isNamed(path, operands))
      return runsCode || role === 'unknown' || TAKES_FILE.test(name) || /\.so$/.test(path)
    if (path !== null && programName(path) === programName(program)) return true
    return this.#loadsByConvention(name, path ?? '', runsCode)
  }

  #loadsByConvention(name: string, path: string, runsCode: boolean): boolean {
    if (IS_DATA.test(path)) return false
    if (name === 'git') return path === '' || this.#movesIntoGit || GIT_LOADS.test(path)
    return runsCode || (this.#searches && (!/\.\w+$/.test(path) || path.includes('.so')))
  }
}

function isExtraction([program = '', first = '']: readonly string[]): boolean {
  return (
    /^(?:unzip|cpio)$/.test(programName(program)) ||
    (/^(?:g|bsd)?tar$/.test(programName(program)) && /^-?[A-Za-z]*x|^--(?:ex|get)/.test(first))
  )
}

function isByPath(program: string): boolean {
  return program.includes('/') && !/^\/(?:usr\/(?:local\/)?)?s?bin\//.test(program)
}

function isNamed(path: string, operands: readonly string[]): boolean {
  const name = programName(path)
  const module = name.replace(/\.\w+$/, '')
  const isIt = (word: string) => [name, module].includes(programName(word)) || word.endsWith(name)
  // A pattern may match the file.
  return operands.some(word => isIt(word) || /[*?[]/.test(word) || (name.endsWith('.so') && word.includes(name)))
}
