/** Takes a committed effect back, if its files are still as it left them. */
import { existsSync, mkdirSync } from 'node:fs'
import { copyFile, readFile, readlink, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileChange } from '../../../core/effect/effect.ts'
import { makeDirectories } from '../../../core/make-directories.ts'
import { type CallPlace, callPlace } from '../machine/call-place.ts'
import { completeCommit, intentOf, movedSince, prepareCommit } from './commit-effect.ts'
import { commitTurn } from './commit-turn.ts'

export type Undone =
  | { readonly outcome: 'undone'; readonly changes: readonly FileChange[] }
  /** Another change came since, in these files. Nothing was done. */
  | { readonly outcome: 'moved'; readonly paths: readonly string[] }
  | { readonly outcome: 'undone_before' }
  /** No effect of this call is kept on this machine. */
  | { readonly outcome: 'unknown' }

export interface UndoRequest {
  /** The directory of all boxes. */
  readonly boxes: string
  readonly idempotencyKey: string
  readonly signal: AbortSignal
  /** Called before anything changes: it puts the undoing on record. */
  readonly before: (changes: readonly FileChange[]) => Promise<void>
}

/** An undoing that was cut off goes on when it is asked for again. */
export async function undoEffect({ boxes, idempotencyKey, signal, before }: UndoRequest): Promise<Undone> {
  const place = callPlace(boxes, idempotencyKey)
  const intent = await intentOf(place)
  if (intent === null || !existsSync(place.committed)) return { outcome: 'unknown' }
  const back = callPlace(join(place.root, 'undo'), idempotencyKey)
  if (existsSync(back.committed)) return { outcome: 'undone_before' }
  const done = await commitTurn(boxes, intent.workdir, signal)
  try {
    const begun = await intentOf(back)
    const inverse = begun ?? { workdir: intent.workdir, changes: intent.changes.map(inverted) }
    if (begun === null) {
      const paths = await movedSince(inverse)
      if (paths.length > 0) return { outcome: 'moved', paths }
      await before(inverse.changes)
      await layOut(place, back, intent.changes)
      await prepareCommit(back, inverse)
    }
    await completeCommit(back, inverse)
    return { outcome: 'undone', changes: inverse.changes }
  } finally {
    await done()
  }
}

function inverted({ path, before, after }: FileChange): FileChange {
  return { path, before: after, after: before }
}

/** The contents that were replaced, as a commit expects new ones: by path. */
async function layOut(place: CallPlace, back: CallPlace, changes: readonly FileChange[]): Promise<void> {
  await rm(back.root, { recursive: true, force: true })
  makeDirectories(back.upper, each => mkdirSync(each, { mode: 0o700 }))
  for (const [index, { path, before }] of changes.entries()) {
    if (before === null || before.kind === 'directory') continue
    const [from, to] = [join(place.replaced, String(index)), join(back.upper, path)]
    makeDirectories(join(to, '..'), each => mkdirSync(each))
    if (before.kind === 'link') await symlink(await readlink(from), to)
    else await copyFile(from, to)
  }
}

/** The command of a call whose effect is kept; `null` if none is known. */
export async function commandOf(boxes: string, idempotencyKey: string): Promise<string | null> {
  const text = await readFile(callPlace(boxes, idempotencyKey).trial, 'utf8').catch(() => null)
  return text === null ? null : (JSON.parse(text) as { readonly command: string }).command
}
