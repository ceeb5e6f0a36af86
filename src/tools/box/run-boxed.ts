/**
 * Runs a command in a box, rules on its effect, and carries the effect out once. Until then nothing has happened, so a
 * command that was cut off runs again (docs/box.md).
 */
import { realpathSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { changeWord, type Effect } from '../../core/effect/effect.ts'
import { ruleEffect } from '../../core/effect/effect-rules.ts'
import { pathGlobs } from '../../core/effect/path-glob.ts'
import { ToolError } from '../../core/errors.ts'
import type { Json } from '../../core/text/json.ts'
import type { BoxedRules, ToolContext } from '../../ports/agent/tool.ts'
import { type BoxOptions, prepareBox } from './box.ts'
import { boxNetwork, isEffectApproved, reachedContext } from './box-network.ts'
import { completeCommit, intentOf, movedSince, prepareCommit } from './effect/commit-effect.ts'
import { commitTurn } from './effect/commit-turn.ts'
import { effectParts } from './effect/effect-parts.ts'
import { entriesOf } from './effect/entry-names.ts'
import { readEffect } from './effect/read-effect.ts'
import { basisOf, keepTrial, keptTrial, type Trial } from './effect/trial.ts'
import { withView } from './effect/view.ts'
import { LimitWatch } from './limit-watch.ts'
import { type CallPlace, callPlace, ownDirectory, removeAll, runSpace } from './machine/call-place.ts'
import { boxMachine } from './machine/machine.ts'
import { sweep } from './machine/sweep.ts'
import type { Launch } from './mounts/launch.ts'

/** How a command ended in its box. */
export interface Ended {
  readonly ending: 'exited' | 'timed_out' | 'aborted'
  readonly exitCode: number | null
  readonly signal: string | null
  readonly stdout: Printed
  readonly stderr: Printed
}

interface Printed {
  text(): string
}

export interface BoxedCall<T extends Ended = Ended> {
  readonly command: string
  /** Globs over the changes that are kept; `null` for all. */
  readonly keep: readonly string[] | null
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly rules: BoxedRules
  readonly context: ToolContext
  readonly box: BoxOptions
  /** `begun` is called with the id of the process that leads the box. */
  readonly spawn: (launch: Launch, begun?: (pid: number) => void) => Promise<T>
}

/** How often a command runs again because its files changed meanwhile. */
const MOST_TRIALS = 3

export async function runBoxed(call: BoxedCall): Promise<Json> {
  ownDirectory(call.box.directory)
  await sweep([call.box.directory, runSpace(call.context.runId).all])
  const place = callPlace(call.box.directory, call.context.idempotencyKey)
  const begun = await intentOf(place)
  if (begun !== null) {
    await completeCommit(place, begun)
    return finish(call, place, await requiredTrial(call, place))
  }
  const approved = await approvedTrial(call, place)
  let trial = approved
  for (let trials = 0; trials < MOST_TRIALS; trials++) {
    trial ??= await tryOut(call, place)
    if (trial.timed_out) return timedOut(place, trial)
    confirmOrAsk(call, place, { trial, isApproved: isEffectApproved(call.context) || trial === approved })
    if (await commit(call, place, trial)) return finish(call, place, trial)
    trial = null
  }
  throw new ToolError(
    'EFFECT_NOT_STEADY',
    'The files that the command changes were changed by something else each time that it ran, so nothing was kept.',
  )
}

async function requiredTrial(call: BoxedCall, place: CallPlace): Promise<Trial> {
  const trial = await keptTrial(place, namedIn(call))
  if (trial) return trial
  throw new ToolError('TOOL_CALL_IN_DOUBT', 'The effect was carried out, but the output of the command is gone.')
}

function namedIn({ command, context }: BoxedCall): { readonly command: string; readonly workdir: string } {
  return { command, workdir: realpathSync(context.workdir) }
}

/** The trial that people decided about, if all is as it was then. */
async function approvedTrial(call: BoxedCall, place: CallPlace): Promise<Trial | null> {
  // Who edits the call may choose among the changes that were shown. Another command is tried out anew.
  if (!isEffectApproved(call.context) && call.context.suspended?.decision.verdict !== 'edit') return null
  const trial = await keptTrial(place, namedIn(call))
  if (trial === null) return null
  const moved = await movedSince({ workdir: trial.workdir, changes: trial.effect.changes })
  return moved.length === 0 ? trial : null
}

async function tryOut(call: BoxedCall, place: CallPlace): Promise<Trial> {
  for (let trials = 1; ; trials++) {
    await using network = await boxNetwork(call.context, call.rules.effects.hosts)
    const { launch, since } = await prepareBox(call.box, place, {
      command: call.command,
      workdir: call.context.workdir,
      runId: call.context.runId,
      environment: call.environment,
      never: call.rules.effects.never,
      proxy: network,
    })
    const ended = await withinLimits(call, place, launch)
    if (ended.ending === 'aborted')
      throw new ToolError('TOOL_CALL_NOT_BEGUN', 'The command was stopped in its box, so it had no effect.')
    network.askAboutRefused(`${ended.stdout.text()}${ended.stderr.text()}`)
    const { effect, moved } = await scan(place, namedIn(call).workdir, since)
    if (moved.length > 0 && trials < MOST_TRIALS) continue
    if (moved.length > 0) throw movedMeanwhile(moved)
    const trial = trialOf(call, ended, effect)
    await keepTrial(place, trial)
    return trial
  }
}

/** @throws if a limit is reached, whatever came of the command */
async function withinLimits(call: BoxedCall, place: CallPlace, launch: Launch): Promise<Ended> {
  const watch = new LimitWatch(call.box.settings.limits, writtenIn(place, call))
  const [ended] = await Promise.allSettled([call.spawn(launch, pid => watch.begin(pid))])
  const reached = await watch.end()
  if (reached !== null) throw tooMuch(reached)
  if (ended.status === 'rejected') throw ended.reason
  return ended.value
}

function writtenIn(place: CallPlace, { context }: BoxedCall): readonly string[] {
  const { tmp, home, sockets } = runSpace(context.runId)
  const caches = entriesOf(place.root).filter(name => /^cache\d+-upper$/.test(name))
  return [place.upper, tmp, home, sockets, ...caches.map(name => join(place.root, name))]
}

function tooMuch(reached: string): ToolError {
  return new ToolError(
    'BOX_LIMIT_REACHED',
    `The command was stopped in its box because ${reached}, so nothing was kept.`,
  )
}

function movedMeanwhile(moved: readonly string[]): ToolError {
  return new ToolError(
    'EFFECT_NOT_STEADY',
    `While the command ran, something else changed the same files (${moved.slice(0, 3).join(', ')}), so nothing was kept.`,
  )
}

async function scan(place: CallPlace, workdir: string, since: bigint): Promise<Awaited<ReturnType<typeof readEffect>>> {
  const { programs } = await boxMachine()
  if (programs === null) throw new Error('this machine has no box')
  return withView(programs, place, view => readEffect({ workdir, upper: place.upper, view, since }))
}

function trialOf(call: BoxedCall, { ending, exitCode, signal, stdout, stderr }: Ended, effect: Trial['effect']): Trial {
  return {
    ...namedIn(call),
    exit_code: exitCode,
    signal,
    stdout: stdout.text(),
    stderr: stderr.text(),
    timed_out: ending === 'timed_out',
    effect,
  }
}

interface Asked {
  readonly trial: Trial
  /** A person decided for the effect that they saw. */
  readonly isApproved: boolean
}

/** Goes on if the effect may be carried out: by the rules, or by a person who saw this very effect (P1, P9). */
function confirmOrAsk(call: BoxedCall, place: CallPlace, { trial, isApproved }: Asked): void {
  const { context, rules } = call
  const effect = keptOf(call, trial)
  const ruling = ruleEffect(rules.effects, effect)
  if (ruling.verdict === 'never') throw forbidden(ruling.because, trial)
  const basis = basisOf(trial, rules.effects.drift)
  const anew = {
    kind: 'approval' as const,
    context: reachedContext(context),
    preview: effectParts({ workdir: trial.workdir, upper: place.upper }, effect, trial),
  }
  if (isApproved) context.suspended?.confirm(basis, anew)
  else if (ruling.verdict !== 'auto' && !rules.observes)
    context.suspend({ message: `Keep what the command did? ${ruling.because.replace(/^i/, 'I')}.`, basis, ...anew })
}

/** The changes that are kept. */
function keptOf({ keep }: BoxedCall, { effect }: Trial): Effect {
  if (keep === null) return effect
  const globs = pathGlobs(keep)
  return { ...effect, changes: effect.changes.filter(({ path }) => globs.matches(path)) }
}

function forbidden(because: string, { exit_code, stderr }: Trial): ToolError {
  const end = stderr.trim() === '' ? '' : ` The end of its stderr:\n${stderr.slice(-2000)}`
  return new ToolError(
    'EFFECT_FORBIDDEN',
    `The command ran in a box (exit code ${exit_code}), and nothing of what it did was kept: ${because}.${end}`,
  )
}

/** False if a file is no longer as it was when the command ran. */
async function commit(call: BoxedCall, place: CallPlace, trial: Trial): Promise<boolean> {
  const { box, context } = call
  const { workdir } = trial
  const intent = { workdir, changes: keptOf(call, trial).changes }
  if (intent.changes.length === 0) return true
  const done = await commitTurn(box.directory, workdir, context.abortSignal)
  try {
    if ((await movedSince(intent)).length > 0) return false
    await prepareCommit(place, intent)
    await completeCommit(place, intent)
    return true
  } finally {
    done()
  }
}

async function finish(call: BoxedCall, place: CallPlace, trial: Trial): Promise<Json> {
  for (const directory of [place.upper, place.work, place.view, place.staged]) await removeAll(directory)
  const effect = keptOf(call, trial)
  if (effect.changes.length === 0) await removeAll(place.root)
  return resultOf({ ...trial, effect })
}

function resultOf({ exit_code, signal, stdout, stderr, effect }: Trial): Json {
  const files = effect.changes.filter(
    ({ before, after }) => before?.kind !== 'directory' && after?.kind !== 'directory',
  )
  const counts = Map.groupBy(files, changeWord)
  const words = [...counts].map(([word, each]) => `${each.length} ${word}`).join(', ')
  return { exit_code, signal, stdout, stderr, ...(words !== '' && { files: words }) }
}

async function timedOut(place: CallPlace, trial: Trial): Promise<Json> {
  await rm(place.trial, { force: true })
  await removeAll(place.root)
  const { exit_code, signal, stdout, stderr } = trial
  const note = 'It ran in a box, and nothing of what it wrote was kept, because its time was over.'
  return { exit_code, signal, stdout, stderr, timed_out: true, note }
}
