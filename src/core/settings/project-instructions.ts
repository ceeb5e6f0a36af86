import type { Amount } from '../count.ts'
import type { Json } from '../text/json.ts'

/** The files of a project that agents read as instructions, unless the settings name others. */
export const INSTRUCTIONS_FILES: readonly string[] = ['AGENTS.md', 'CLAUDE.md']

/** At most so much of one file, in bytes. */
export const INSTRUCTIONS_BYTES = 32 * 1024

/** Files of the project that are instructions of a run: text alone, which permits nothing. */
export interface ProjectInstructions {
  /** The names that each new run looks for. */
  readonly names: readonly string[]
  /** What this run read when it started, and keeps. */
  readonly files: readonly InstructionsFile[]
}

export interface InstructionsFile {
  /** Relative to the working directory. */
  readonly path: string
  /** The size of the file. */
  readonly bytes: Amount
  /** The fingerprint of `text`. */
  readonly digest: string
  /** The beginning of the file, if all of it is too much. */
  readonly text: string
}

/** The system prompt of a run: the instructions of its agent, then those of its project. */
export function systemPrompt({ instructions, project_instructions }: SystemPrompt): string | null {
  const files = project_instructions?.files ?? []
  if (files.length === 0) return instructions
  return [...(instructions === null ? [] : [instructions]), ...files.map(sectionOf)].join('\n\n')
}

export interface SystemPrompt {
  readonly instructions: string | null
  readonly project_instructions?: ProjectInstructions
}

function sectionOf({ path, bytes, text }: InstructionsFile): string {
  const whole = `# Instructions of the project, from ${path}\n\n${text.trim()}`
  return isCut({ bytes }) ? `${whole}\n\n[${path} is cut here: it has ${bytes} bytes]` : whole
}

function isCut({ bytes }: Pick<InstructionsFile, 'bytes'>): boolean {
  return bytes > INSTRUCTIONS_BYTES
}

/** The files for people to read, as `AGENTS.md, ../CLAUDE.md (the first 32 KB)`. */
export function fileWords(files: readonly InstructionsFile[]): string {
  return files
    .map(file => `${file.path}${isCut(file) ? ` (the first ${INSTRUCTIONS_BYTES / 1024} KB)` : ''}`)
    .join(', ')
}

/** The paths whose text is another one than the run read, or that are new or gone. */
export function changedFiles(before: readonly InstructionsFile[], now: readonly InstructionsFile[]): readonly string[] {
  const [then, today] = [before, now].map(files => new Map(files.map(({ path, digest }) => [path, digest])))
  const paths = new Set([...before, ...now].map(({ path }) => path))
  return [...paths].filter(path => then?.get(path) !== today?.get(path))
}

/** A name leads to no place outside the project. */
const IN_PROJECT = /^(?![\\/~]|[A-Za-z]:|(.*[\\/])?\.\.([\\/]|$))[^\0]+$/

/** `null` if a setting is such a list of names. */
export function instructionsFilesFault(value: Json): string | null {
  if (!Array.isArray(value)) return 'must be a list of file names; [] is none'
  const odd = value.find(name => typeof name !== 'string' || !IN_PROJECT.test(name))
  return odd === undefined ? null : `${JSON.stringify(odd)} must be a file within the project, as "AGENTS.md"`
}
