/** A trial of a command in its box, and what is known of it afterwards. */
import { readFile, rename, writeFile } from 'node:fs/promises'
import type { Effect } from '../../../core/effect/effect.ts'
import type { EffectRules } from '../../../core/effect/effect-rules.ts'
import { canonicalJson, type Json } from '../../../core/text/json.ts'
import type { CallPlace } from '../machine/call-place.ts'
import { digestOfText } from './read-effect.ts'

export interface Trial {
  readonly command: string
  readonly workdir: string
  readonly exit_code: number | null
  readonly signal: string | null
  readonly stdout: string
  readonly stderr: string
  readonly timed_out: boolean
  readonly effect: Effect
}

/**
 * What an approval of the effect binds: the command, its directory, each change, and what was there before it. Where a
 * rerun may follow drift, what was there before does not count.
 */
export function basisOf(
  { command, workdir, effect }: Pick<Trial, 'command' | 'workdir' | 'effect'>,
  drift: EffectRules['drift'],
): Json {
  const { left_out } = effect
  const changes = drift === 'ask' ? effect.changes : effect.changes.map(({ path, after }) => ({ path, after }))
  const facts = { command, workdir, changes: changes as unknown as Json, left_out }
  return { effect: digestOfText(canonicalJson(facts)), files: changes.length }
}

export async function keepTrial(place: CallPlace, trial: Trial): Promise<void> {
  const part = `${place.trial}.part`
  await writeFile(part, JSON.stringify(trial))
  await rename(part, place.trial)
}

/** `null` if there is none of this command, or what it wrote is gone. */
export async function keptTrial(
  place: CallPlace,
  { command, workdir }: Pick<Trial, 'command' | 'workdir'>,
): Promise<Trial | null> {
  const text = await readFile(place.trial, 'utf8').catch(() => null)
  if (text === null) return null
  const trial = JSON.parse(text) as Trial
  return trial.command === command && trial.workdir === workdir ? trial : null
}
