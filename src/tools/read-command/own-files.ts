import { programName, wrappersAtWork } from './command-wrappers.ts'
import { filesRunBy, pathsWritten } from './settings/conventional-files.ts'
import type { ReadWord } from './words/read-word.ts'

const RENAMES = /^g?(cp|mv|ln|link|install|ditto)$/
const WRITES = /^g?(rsync|dd|tee|curl|wget|scp)$/
const REDIRECTED = /(?:>[|&]?|>>)\s*["']?((?:\$\([^()\n]{0,99}\)|[^\s"';|&<>()])+)/g

/**
 * Files that a command makes and then runs: `cp /bin/rm x; ./x v`, `echo 'rm v' > s; ./s`. Holdpoint cannot know what
 * they do. A program without a path is such a file if it was copied or linked: data of that name is common.
 */
export class OwnFiles {
  readonly #renamed = new Set<string>()
  readonly #written = new Set<string>()
  readonly #run = new Set<string>()
  /** Paths as they stand. */
  readonly #writtenPaths = new Set<string>()
  /** Patterns of the files that the programs run by convention. */
  readonly #conventional = new Set<RegExp>()

  /** Shell text as it stands. */
  takeText(text: string): void {
    for (const [, target = ''] of [text, text.replace(/["'\\]/g, '')].flatMap(each => [...each.matchAll(REDIRECTED)])) {
      this.#written.add(programName(target))
      this.#writtenPaths.add(target)
    }
  }

  /** `strict`: the words are a command for certain. */
  take(words: readonly ReadWord[], { wraps, strict }: { readonly wraps: boolean; readonly strict: boolean }): void {
    const texts = words.map(({ text }) => text)
    if (!strict && PLACEHOLDER.test(texts[0] ?? '')) return
    const names = wraps ? texts.map(programName) : [programName(texts[0] ?? '')]
    for (const pattern of names.slice(0, MOST_WORDS).flatMap(filesRunBy)) this.#conventional.add(pattern)
    for (const path of pathsWritten(names, texts)) this.#writtenPaths.add(path)
    const at = names.findIndex(name => RENAMES.test(name) || WRITES.test(name))
    if (at >= 0) this.#make(texts.slice(at + 1), RENAMES.test(names[at] ?? ''))
    else this.#start(texts, wraps)
  }

  /** The first file of `others` that is run; `null` if none is. */
  run(others: OwnFiles = this): string | null {
    const isOwn = (program: string) => {
      const name = programName(program)
      return others.#renamed.has(name) || (program.includes('/') && others.#written.has(name))
    }
    return [...this.#run].find(isOwn) ?? this.#byConvention(others)
  }

  #byConvention(others: OwnFiles): string | null {
    const patterns = [...this.#conventional]
    return [...others.#writtenPaths].find(path => patterns.some(pattern => pattern.test(path))) ?? null
  }

  #make(operands: readonly string[], isRenamed: boolean): void {
    const made = isRenamed ? this.#renamed : this.#written
    for (const operand of operands) if (!operand.startsWith('-')) made.add(programName(operand.replace(/^of=/, '')))
  }

  #start(words: readonly string[], wraps: boolean): void {
    this.#run.add(words[0] ?? '')
    if (wraps && !ELSEWHERE.test(programName(words[0] ?? '')))
      for (const program of wrappedPaths(words.slice(0, MOST_WORDS))) this.#run.add(program)
  }
}

/** Paths at which the program of a wrapper may stand, as in `sudo -u x ./y`; operands of that program are none. */
function* wrappedPaths(words: readonly string[]): Generator<string> {
  let hasProgram = false
  for (const [at, word] of words.entries()) {
    const before = words[at - 1] ?? ''
    if (at === 0 || SETTING.test(word) || wrappersAtWork(words, at).length > 0) continue
    if (word.includes('/') && (!hasProgram || EXEC.test(before))) yield word
    hasProgram ||= !before.startsWith('-')
  }
}

/** `{}` of `xargs` or `find` is no name. */
const PLACEHOLDER = /\{\}$/

/** A program stands among the first. */
const MOST_WORDS = 64
const SETTING = /^-|^\w+=|^[\d.]+[smhdk]?$/
const EXEC = /^-{1,2}(exec(dir)?|ok(dir)?|x|X)$/
/** They run what is there, or none of their words. */
const ELSEWHERE = /^(docker|podman|nerdctl|kubectl|oc|ssh|g?sed|[gmn]?awk)/
