import { programName } from '../programs/programs.ts'
import type { ReadWord } from '../text/read-word.ts'

const TO_THE_LAST = /^g?(?:cp|mv|ln|link|install|ditto|rsync|uniq|xxd)$/
const TO_EACH = /^g?(?:tee|wget|dd|scp|sponge|split|csplit)$/
const BY_OPTION = /^(?:curl|g?sort|shuf|yq|esbuild|pandoc|iconv|openssl|go|rustc|javac)$/
const COMPILES = /^(?:g?cc|[cg]\+\+|clang(?:\+\+)?|ld|as)$/
const IN_PLACE = /^(?:g?sed|perl|yq)$/
const OPTION_IN_PLACE = /^(?:-[A-Za-z0-9]*i|--in-p)/
/** `s/1.0.0/1.0.1/`, `s/"vitest": "^1"/"vitest": "^2"/`: no such text is a command. */
const SETS_VERSION = /^s([/|#,])(?:(?!\1)[^\\\n]|\\.)*\1(?:"?[\w@/.-]+"?\s*[:=]\s*)?["']?[\^~]?\d[\w.+-]*["']?,?\1g?$/

/** The paths that a command may write; `null` for one that is not known. */
export function pathsWritten([program = '', ...operands]: readonly string[]): readonly (string | null)[] {
  const name = programName(program)
  const paths = operands.filter(word => word === '-' || !word.startsWith('-'))
  if (/^(?:touch|mkdir)$/.test(name))
    return operands.filter(
      (word, at) =>
        word.includes('|') || (word.startsWith('-') && operands.indexOf('--') >= 0 && at > operands.indexOf('--')),
    )
  if (writesAnywhere(name, operands, paths[0])) return [null]
  return WRITERS.find(([programs]) => programs.test(name))?.[1](operands, paths) ?? []
}

type Writer = (operands: readonly string[], paths: readonly string[]) => readonly string[]

const WRITERS: readonly (readonly [programs: RegExp, paths: Writer])[] = [
  [COMPILES, operands => (outputsOf(operands).length > 0 ? outputsOf(operands) : ['a.out'])],
  [TO_THE_LAST, (operands, paths) => outputsOf(operands).concat(targetsOf(paths))],
  [IN_PLACE, (operands, paths) => (isInPlace(operands) ? paths.slice(1) : [])],
  [TO_EACH, (_, paths) => paths.map(word => word.replace(/^of=/, ''))],
  [BY_OPTION, outputsOf],
]

/** Patches and awk scripts name the files they write themselves. */
function writesAnywhere(name: string, operands: readonly string[], first = ''): boolean {
  if (/awk$/.test(name)) return operands.some(word => word.includes('>'))
  return (
    name === 'patch' ||
    /^(?:gunzip|unxz|unzstd|bunzip2)$/.test(name) ||
    (name === 'git' && [first, ...operands.slice(0, 3)].some(word => /^(?:apply|am|mv)$/.test(word)))
  )
}

function outputsOf(operands: readonly string[]): readonly string[] {
  return operands.flatMap((word, at) => {
    if (/^(?:-[A-Za-z]*[oO]|-out|--out(?:put)?)$/.test(word)) return operands[at + 1] ?? []
    return /^(?:-[A-Za-z]*?o|--o[a-z]*=)(.+)$/s.exec(word)?.[1] ?? []
  })
}

function isInPlace(operands: readonly string[]): boolean {
  const isPlain = operands.every(word => !word.startsWith('-') || /^-(?:i|E|i\.\w+)$/.test(word))
  const setsVersion = isPlain && SETS_VERSION.test(operands.find(word => !word.startsWith('-')) ?? '')
  return operands.some(word => OPTION_IN_PLACE.test(word)) && !setsVersion
}

/** Into a directory the files go by their names. */
function targetsOf(paths: readonly string[]): readonly string[] {
  const target = paths.at(-1) ?? ''
  if (!/^\.{1,2}$|\/$/.test(target) && paths.length < 3) return paths.length > 1 ? [target] : []
  return paths.slice(0, -1).map(path => `${target.replace(/\/$/, '')}/${programName(path)}`)
}

/** `cp /bin/rm x` and `cp $(which rm) x`: another name for a program, which no rule knows. */
const COPIES = /^g?(?:cp|mv|ln|link|install|rsync|dd|cat|ditto)$/
const IN_BIN = /^(?:if=)?\/(?:[\w.+-]+\/)*s?bin\/([^/]+)$/
const LOOKED_UP = /(?:which|command -v|type -[pP]|whence)\s+([\w.+-]+)\s*[)`]/

/** The programs to which a command may give another name. */
export function renamedPrograms([program, ...words]: readonly ReadWord[]): readonly string[] {
  if (!COPIES.test(programName(program?.text ?? ''))) return []
  return [...new Set(words.flatMap(({ text }) => IN_BIN.exec(text)?.[1] ?? LOOKED_UP.exec(text)?.[1] ?? []))]
}
