import type { PlaceName } from '../../../core/people/trusted-place.ts'
import { jsonLine } from '../../../core/text/visible-text.ts'
import type { CommandContext } from '../../command/command.ts'
import type { ObservedStore } from '../../compose/compose.ts'
import { confirmAtTerminal } from '../../display/ask-line.ts'
import { claimedName } from '../../process/actor.ts'
import { agentAround, standingHere } from '../../process/lineage/agent-around.ts'
import { placeHere } from '../../process/lineage/namespaces.ts'
import { mayBeGone, placeIn, placeText } from '../../process/lineage/place.ts'
import { refuseAgent } from '../../process/lineage/refuse-agent.ts'
import { isOfThisBoot } from '../../process/process-liveness.ts'
import { systemClock } from '../../process/system-clock.ts'
import { readConfig } from '../../project/project.ts'
import { projectRoot } from '../../project/project-root.ts'
import { programLines, type StartedPrograms } from '../../project/started-programs.ts'
import { isTrusted, recordTrust } from '../../project/trust.ts'
import { policyRefusals } from '../../refusals/policy-refusals.ts'
import { openForReading, refuseAgentHere, refuseWords } from '../open-for-reading.ts'

type TrustOutcome = 'trusted' | 'trusted_before' | 'nothing_to_trust'

/** The result of a question for trust. */
export interface TrustDocument {
  readonly outcome: TrustOutcome
  /** The project. */
  readonly directory: string
  /** A line for each program that its configuration starts. */
  readonly starts: readonly string[]
}

/** Trusts what the project around this directory starts. @throws RefusedError; then nothing was trusted. */
export async function run(context: CommandContext): Promise<number> {
  const { given, io, json, env } = context
  refuseWords(given.words, 'trust')
  if (given.has('here') || given.has('place')) return trustPlace(context)
  await refuseAgentHere(context, policyRefusals.agentCannotTrust)
  const directory = projectRoot(context.directory)
  const { programs: started } = await readConfig(directory, env)
  const outcome = await trusted({ ...context, directory }, started)
  const starts = started === null ? [] : programLines(started)
  const document: TrustDocument = { outcome, directory, starts }
  io.out(json ? jsonLine(document) : `${WORDS[outcome]}\n`)
  return 0
}

const WORDS: Record<TrustOutcome, string> = {
  trusted: 'Trusted, until the configuration changes what it starts.',
  trusted_before: 'Trusted already.',
  nothing_to_trust: 'The configuration here needs no trust.',
}

async function trusted(
  { given, io, directory, env }: CommandContext,
  started: StartedPrograms | null,
): Promise<TrustOutcome> {
  if (started === null) return 'nothing_to_trust'
  if (await isTrusted(directory, started, env)) return 'trusted_before'
  if (!given.has('yes') && !(await isAgreed({ io }, directory, started))) throw policyRefusals.notTrusted(directory)
  await recordTrust(directory, started, env)
  return 'trusted'
}

async function isAgreed(
  { io }: Pick<CommandContext, 'io'>,
  directory: string,
  started: StartedPrograms,
): Promise<boolean> {
  const confirm = confirmAtTerminal({ io })
  if (confirm === null) return false
  const lines = programLines(started).map(line => `  ${line}\n`)
  io.out(`The configuration of ${directory} wants you to trust:\n${lines.join('')}`)
  return confirm('Trust it?')
}

/** Asks in a terminal for a project that was refused; false if it is not trusted now. */
export async function askTrust({ io, env }: Pick<CommandContext, 'io' | 'env'>, within: string): Promise<boolean> {
  const directory = projectRoot(within)
  const { programs: started } = await readConfig(directory, env)
  if (started === null || agentAround(env) !== null || !(await isAgreed({ io }, directory, started))) return false
  await recordTrust(directory, started, env)
  return true
}

/** The result of trusting a container or sandbox. */
export interface PlaceTrustDocument {
  readonly outcome: 'trusted' | 'trusted_before'
  /** The place in the form that `--place` takes. */
  readonly place: string
}

/** @throws RefusedError; then nothing was trusted. */
async function trustPlace(context: CommandContext): Promise<number> {
  const { io, json } = context
  await using app = await openForReading(context)
  const place = await allowedPlace(context, app.store)
  const isKnown = (await app.store.access.places()).some(known => placeText(known) === placeText(place))
  if (!isKnown) await trust(context, app.store, place)
  const document: PlaceTrustDocument = { outcome: isKnown ? 'trusted_before' : 'trusted', place: placeText(place) }
  const text = isKnown
    ? 'People decide from there already.'
    : 'People may decide from there, until that container ends.'
  io.out(json ? jsonLine(document) : `${text}\n`)
  return 0
}

/** P1: a process could make a place of its own, and trust it from there. */
async function allowedPlace({ given, env }: CommandContext, store: ObservedStore): Promise<PlaceName> {
  const named = given.value('place')
  const { elsewhere } = standingHere(env)
  if (named === null && elsewhere) {
    await refuseUnlessGone(store, elsewhere)
    return elsewhere
  }
  refuseAgent(env, policyRefusals.agentCannotTrustPlace)
  const place = named === null ? placeHere() : placeNamed(named)
  if (place === null) throw policyRefusals.noPlaces()
  return place
}

async function trust(context: CommandContext, store: ObservedStore, place: PlaceName): Promise<void> {
  if (!context.given.has('yes') && !(await isPlaceAgreed(context, place))) throw policyRefusals.notConfirmed()
  await store.access.trustPlace({ place, by: claimedName(context.env), surface: 'cli' })
}

/**
 * A restarted container is another place, and nobody can return to the one before. While Holdpoint works in another
 * place, a person can still trust from there.
 * @throws RefusedError `place_not_trusted`
 */
async function refuseUnlessGone(store: ObservedStore, here: PlaceName): Promise<void> {
  if (!mayBeGone(store, await store.access.places(), here) || (await isBusy(store)))
    throw policyRefusals.placeNotTrusted(placeText(here))
}

const MOST = 100

async function isBusy(store: ObservedStore): Promise<boolean> {
  const now = systemClock.now()
  const leased = await store.leasedRuns({ limit: MOST })
  const isLeased = leased.some(({ lease }) => lease && Date.parse(lease.until) > now && isOfThisBoot(lease.owner))
  return isLeased || (await store.tasks.tasks({ status: 'running', limit: 1 })).length > 0
}

async function isPlaceAgreed({ io }: CommandContext, place: PlaceName): Promise<boolean> {
  const confirm = confirmAtTerminal({ io })
  if (confirm === null) return false
  io.out(`Processes in ${placeText(place)} could decide as any person.\n`)
  return confirm('Trust them?')
}

function placeNamed(text: string): PlaceName {
  const place = placeIn(text)
  if (place) return place
  throw policyRefusals.invalidPlace(text)
}
