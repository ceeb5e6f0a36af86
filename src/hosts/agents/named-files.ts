/** The files that a message names by `@`: the message stays as it is, and they go along. */
import { isUtf8 } from 'node:buffer'
import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import { messageOf, RefusedError } from '../../core/errors.ts'
import { DEFAULT_MESSAGE_LIMITS } from '../../core/message/limits.ts'
import type { ContentPart } from '../../core/message/part.ts'
import { sizeText } from '../../core/message/part-words.ts'
import { rule } from '../../core/policy/policy.ts'
import type { Profile } from '../../core/run/profile.ts'
import { withoutCutEnd } from '../../core/text/utf8-cut.ts'
import { inspectPath } from '../../tools/files/inspect-path.ts'
import { type LocatedPath, locate } from '../../tools/files/locate.ts'
import { openFile } from '../../tools/files/open-file.ts'
import { refuseSecretFile } from '../../tools/files/secret-file.ts'
import { sessionRefusals } from '../refusals/session-refusals.ts'

/** The directory in which an agent works, and the rules by which it reads files there. */
export type Reading = Pick<Profile, 'policy' | 'workdir' | 'rules_from'>

/** `@cart.ts`, or `@"my shot.png"`. The `@` of an address is within a word. */
const NAMED = /(?<=^|[\s(])@(?:"([^"]+)"|(\S+))/g
/** What may end a sentence, or name a line. */
const BEHIND = /(?::\d+(?:-\d+)?)?[.,;:!?)\]}'"]*$/

const IMAGES: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
}
/** As much of a text as a tool returns at once. */
const TEXT_BYTES = 64 * 1024
const MOST_NAMES = 500

/** A name that is no file is text. @throws RefusedError `invalid_arguments` for a file that may not be read */
export async function namedParts(text: string, reading: Reading): Promise<readonly ContentPart[]> {
  const places = new Map<string, LocatedPath>()
  for (const [, quoted, plain] of text.matchAll(NAMED)) {
    const place = await placeNamed(quoted ?? plain ?? '', reading)
    if (place) places.set(place.real, place)
  }
  return Promise.all([...places.values()].map(place => partOf(place, reading)))
}

async function placeNamed(path: string, reading: Reading): Promise<LocatedPath | null> {
  const place = (await placeOf(path, reading)) ?? (await placeOf(path.replace(BEHIND, ''), reading))
  if (place === null && isImage(path)) throw sessionRefusals.unreadableFile(path, 'there is no such file')
  return place
}

function isImage(path: string): boolean {
  return extname(path).toLowerCase() in IMAGES
}

async function partOf(place: LocatedPath, reading: Reading): Promise<ContentPart> {
  try {
    await refuseUnread(place, reading)
    return isImage(place.real) ? await imagePart(place) : await filePart(place)
  } catch (thrown) {
    throw thrown instanceof RefusedError ? thrown : sessionRefusals.unreadableFile(place.raw, messageOf(thrown))
  }
}

async function placeOf(path: string, { workdir }: Reading): Promise<LocatedPath | null> {
  try {
    const place = await locate(workdir, path)
    await stat(place.real)
    return place
  } catch {
    return null
  }
}

/** A person who names a file approves that it is read, so only `never` counts. */
async function refuseUnread(place: LocatedPath, { policy, workdir, rules_from }: Reading): Promise<void> {
  const { raw: path } = place
  refuseSecretFile(place.real, place.shown)
  const facts = await inspectPath({ path, workdir, rulesFrom: rules_from, writes: false })
  const { verdict, rule: why } = rule(policy, {
    ...{ tool: 'read_file', arguments: { path }, facts, needs_approval: null },
  })
  if (verdict === 'never') throw sessionRefusals.unreadableFile(path, `the policy forbids it (${why})`)
}

/** People keep their screenshots anywhere. */
async function imagePart({ real }: LocatedPath): Promise<ContentPart> {
  const data = (await readFile(real)).toString('base64')
  return { type: 'image', media_type: IMAGES[extname(real).toLowerCase()] ?? 'image/png', data, name: basename(real) }
}

async function filePart({ real, shown, inside, raw }: LocatedPath): Promise<ContentPart> {
  if (!inside) throw sessionRefusals.unreadableFile(raw, 'it is not in the directory in which the agent works')
  if ((await stat(real)).isDirectory()) return textPart(shown, await namesIn(real))
  await using file = await openFile(real)
  const { size } = await file.stat()
  if (size > DEFAULT_MESSAGE_LIMITS.partBytes)
    throw sessionRefusals.unreadableFile(
      raw,
      `it has ${sizeText(size)}, and ${sizeText(DEFAULT_MESSAGE_LIMITS.partBytes)} fit`,
    )
  const bytes = await file.readFile()
  const isText = isUtf8(bytes) && !bytes.includes(0)
  // A notebook is read as a whole.
  if (!isText || extname(real).toLowerCase() === '.ipynb') return dataPart(shown, bytes, mediaType(real))
  const begin = withoutCutEnd(bytes.subarray(0, TEXT_BYTES))
  const isCut = begin.length < bytes.length
  const note = `\n[${shown} is cut here: it has ${sizeText(size)}; read_file reads the rest]`
  return textPart(shown, `${begin.toString('utf8')}${isCut ? note : ''}`)
}

async function namesIn(directory: string): Promise<string> {
  const entries = await readdir(directory, { withFileTypes: true })
  const names = entries.map(entry => (entry.isDirectory() ? `${entry.name}/` : entry.name)).toSorted()
  const left = names.length - MOST_NAMES
  return [...names.slice(0, MOST_NAMES), ...(left > 0 ? [`[… and ${left} more]`] : [])].join('\n')
}

function textPart(name: string, text: string): ContentPart {
  return dataPart(name, Buffer.from(text), 'text/plain')
}

function dataPart(name: string, bytes: Buffer, media_type: string): ContentPart {
  return { type: 'file', media_type, name, data: bytes.toString('base64') }
}

function mediaType(path: string): string {
  return extname(path).toLowerCase() === '.pdf' ? 'application/pdf' : 'application/octet-stream'
}
