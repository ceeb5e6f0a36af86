/** Finds the files of a project that agents read as instructions. A link that leads out of the project is not followed. */
import { isUtf8 } from 'node:buffer'
import { lstatSync, statSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { messageOf } from '../../../core/errors.ts'
import type { Profile } from '../../../core/run/profile.ts'
import { instructionsChanged } from '../../../core/run/warnings/instructions-changed.ts'
import type { RunWarning } from '../../../core/run/warnings/run-warning.ts'
import { fileWords, INSTRUCTIONS_BYTES, type InstructionsFile } from '../../../core/settings/project-instructions.ts'
import { withoutCutEnd } from '../../../core/text/utf8-cut.ts'
import { locate } from '../../../tools/files/locate.ts'
import { openFile } from '../../../tools/files/open-file.ts'
import { isSecretFile } from '../../../tools/files/secret-file.ts'
import { systemIds } from '../../process/system-ids.ts'
import { projectRoot } from '../../project/project-root.ts'

export interface FoundInstructions {
  readonly files: readonly InstructionsFile[]
  /** Files that are there and are not read, with the reason. */
  readonly left: readonly { readonly path: string; readonly why: string }[]
}

/** For each name the first file in `workdir` or above it, within the project; `null` if there is no such directory. */
export async function findInstructions(names: readonly string[], workdir: string): Promise<FoundInstructions | null> {
  if (!isDirectory(workdir)) return null
  const top = topOf(workdir)
  const found: InstructionsFile[] = []
  const left: { path: string; why: string }[] = []
  const places = new Set<string>()
  for (const name of names) {
    const file = firstOf(name, workdir, top)
    if (file === null) continue
    const path = relative(workdir, file).split(sep).join('/')
    const read = await readWithin(top, file).catch((thrown: unknown) => messageOf(thrown))
    if (typeof read === 'string') left.push({ path, why: read.replace(/\.$/, '') })
    // Many projects have one file under both names, and some an empty one.
    else if (read.text.trim() !== '' && !places.has(read.real) && !found.some(({ digest }) => digest === read.digest)) {
      const { real, ...rest } = read
      places.add(real)
      found.push({ path, ...rest })
    }
  }
  return { files: found, left }
}

/** What a run reads when it starts. */
export async function readInstructions(
  names: readonly string[],
  workdir: string,
): Promise<readonly InstructionsFile[] | null> {
  return (await findInstructions(names, workdir))?.files ?? null
}

/** The directory above which nothing is of the project: that of its repository, or else that of its settings. */
function topOf(workdir: string): string {
  for (let at = workdir; ; at = dirname(at)) {
    if (hasRepository(at, at === workdir)) return at
    if (dirname(at) === at) return projectRoot(workdir)
  }
}

/** A worktree has a file there. One that another user made above is not of the project. */
function hasRepository(directory: string, isHere: boolean): boolean {
  const stats = statSync(join(directory, '.git'), { throwIfNoEntry: false })
  return stats !== undefined && (isHere || stats.uid === process.getuid?.())
}

function firstOf(name: string, workdir: string, top: string): string | null {
  for (let at = workdir; ; at = dirname(at)) {
    const file = join(at, name)
    if (lstatSync(file, { throwIfNoEntry: false })) return file
    if (at === top || dirname(at) === at) return null
  }
}

type ReadFile = Omit<InstructionsFile, 'path'> & { readonly real: string }

/** The text, or why it is not read. */
async function readWithin(top: string, path: string): Promise<ReadFile | string> {
  const { real, inside } = await locate(top, path)
  if (!inside) return `it leads to ${real}, out of the project`
  if (isDirectory(real)) return 'it is a directory'
  if (isSecretFile(real)) return 'it proves to Holdpoint who a caller is'
  await using file = await openFile(real)
  const { size } = await file.stat()
  const { buffer, bytesRead } = await file.read(Buffer.alloc(INSTRUCTIONS_BYTES), 0, INSTRUCTIONS_BYTES, 0)
  const read = buffer.subarray(0, bytesRead)
  const whole = size > bytesRead ? withoutCutEnd(read) : read
  if (!isUtf8(whole) || whole.includes(0)) return 'it is no text in UTF-8'
  const text = whole.toString('utf8').replace(/^\ufeff/, '')
  return { real, bytes: size, digest: systemIds.digest(text), text }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

/** What a person who starts a run should know: files that are there, and are not read. */
export async function leftInstructions(profile: Profile): Promise<readonly RunWarning[]> {
  const { left } = await instructionsNow(profile)
  return left.map(({ path, why }) => ({
    ...{ code: 'instructions_left_out', files: [path], message: `${path} is not read as instructions: ${why}.` },
    hint: 'Correct the file, or name others in `instructions_files` of the configuration.',
  }))
}

/** For the person who begins a session, the files that its runs read. */
export async function instructionsLines(profile: Profile): Promise<readonly string[]> {
  const { files } = await instructionsNow(profile)
  return files.length === 0 ? [] : [`Instructions of the project: ${fileWords(files)}`]
}

/** What a run with this profile would read now. */
export async function instructionsNow({ project_instructions, workdir }: Profile): Promise<FoundInstructions> {
  const found = project_instructions && (await findInstructions(project_instructions.names, workdir))
  return found ?? { files: [], left: [] }
}

/** What a person who goes on with a run should know: it keeps the instructions that it read. */
export async function changedInstructions(profile: Profile): Promise<readonly RunWarning[]> {
  const { project_instructions: before, workdir } = profile
  const now = before && (await findInstructions(before.names, workdir))
  return now ? instructionsChanged(before.files, now.files) : []
}
