import type { AuditHead } from '../../../core/audit/audit-chain.ts'
import type { Amount } from '../../../core/count.ts'
import { isAgentActor } from '../../../core/people/agent-actor.ts'
import { jsonLine } from '../../../core/text/visible-text.ts'
import { StoreLocation } from '../../../ports/store/store-location.ts'
import type { CommandContext } from '../../command/command.ts'
import { copyWholeStore, giveUpWholeCopy, type StoreCopy } from '../../compose/copy-store.ts'
import { ProgressMeter } from '../../display/progress-meter.ts'
import { actor } from '../../process/actor.ts'
import { refuseAgent } from '../../process/lineage/refuse-agent.ts'
import { shellWord } from '../../process/shell-word.ts'
import { refuseMissingStore } from '../../project/store-url.ts'
import { argumentRefusals } from '../../refusals/argument-refusals.ts'
import { projectRefusals } from '../../refusals/project-refusals.ts'

const USAGE_HINT =
  'Both are stores as --store takes them, such as sqlite:.holdpoint/holdpoint.db and postgres://me@db/app.'

/** `holdpoint store copy`: all of a store moves to another one. */
export async function run(context: CommandContext): Promise<number> {
  const { given, directory } = context
  const [verb, from, to, ...more] = given.words
  if (verb !== 'copy' || from === undefined || to === undefined || more.length > 0)
    throw argumentRefusals.usage('store copy FROM TO', USAGE_HINT)
  if (given.has('dry-run') && given.has('give-up')) throw argumentRefusals.dryRunAndGiveUp()
  refuseMissingStore(from, directory)
  return given.has('give-up') ? giveUp(context, { from, to }) : copy(context, { from, to })
}

interface Ends {
  readonly from: string
  readonly to: string
}

/** The rights and the record of a store are for people to take elsewhere (P1). */
function moverOf({ env }: CommandContext): string {
  refuseAgent(env, projectRefusals.agentCannotCopy)
  const by = actor(env)
  if (isAgentActor(by)) throw projectRefusals.agentCannotCopy(by)
  return by
}

async function copy(context: CommandContext, { from, to }: Ends): Promise<number> {
  const { given, io, json, directory, env } = context
  const dryRun = given.has('dry-run')
  const by = moverOf(context)
  using copying = new ProgressMeter(context, { label: 'Copying', unit: 'rows' })
  using checking = new ProgressMeter(context, { label: 'Checking', unit: 'rows' })
  const meters = { copying, checking }
  const copied = await copyWholeStore(
    { from, to, directory, env },
    { by, surface: 'cli', dryRun, onProgress: (step, rows, of) => meters[step].tell(rows, of) },
  )
  copying[Symbol.dispose]()
  checking[Symbol.dispose]()
  const document = documentOf(copied, { from, to, dryRun })
  io.out(json ? jsonLine(document) : asText(document, to))
  return 0
}

async function giveUp(context: CommandContext, { from, to }: Ends): Promise<number> {
  const { io, json, directory } = context
  moverOf(context)
  await giveUpWholeCopy(from, directory)
  const document: GivenUpCopyDocument = { ...shown({ from, to }), given_up: true }
  io.out(
    json
      ? jsonLine(document)
      : `The copy was given up: ${document.from} takes writes again. Remove what is in ${document.to}.\n`,
  )
  return 0
}

/** A store that takes writes again, and the copy that is of no use any more. */
export interface GivenUpCopyDocument {
  readonly from: string
  readonly to: string
  readonly given_up: true
}

/** A store that moved, or with `dry_run` one that could. */
export interface StoreCopyDocument {
  readonly from: string
  readonly to: string
  readonly dry_run: boolean
  /** `null` if nothing was copied. */
  readonly copy_id: string | null
  /** How many rows each table has. */
  readonly rows: Readonly<Record<string, Amount>>
  /** SHA-256 over all rows of the journals, equal in both stores. `null` if nothing was compared this time. */
  readonly journal_hash: string | null
  /** The newest record of the audit log, equal in both stores. `null` if there is none, or nothing was compared this time. */
  readonly audit_head: AuditHead | null
}

function documentOf(copied: StoreCopy, { dryRun, ...ends }: Ends & { readonly dryRun: boolean }): StoreCopyDocument {
  return { ...shown(ends), dry_run: dryRun, ...copied }
}

function shown({ from, to }: Ends): Ends {
  return { from: new StoreLocation(from).display, to: new StoreLocation(to).display }
}

function asText({ from, to, dry_run, rows, journal_hash, audit_head }: StoreCopyDocument, target: string): string {
  const count = (table: string) => (rows[table] ?? 0).toLocaleString('en-US')
  const what = `${count('threads')} sessions with ${count('runs')} runs, ${count('holds')} holds and ${count('events')} events, ${count('audit')} records of the audit log, ${count('tasks')} tasks`
  if (dry_run) return `Would be copied from ${from} to ${to}: ${what}.\n`
  const compared =
    journal_hash === null
      ? ['It came to its end before; nothing was compared again.']
      : [
          `All rows are equal. Journals: sha256:${journal_hash}.`,
          ...(audit_head ? [`Audit log: head ${audit_head.seq}:${audit_head.hash}.`] : []),
        ]
  return [
    `Copied from ${from} to ${to}: ${what}.`,
    ...compared,
    `${from} takes no writes any more. Go on with --store ${shellWord(new StoreLocation(target).commandUrl)}, or HOLDPOINT_STORE.`,
    'The output of tasks, worktrees and processes of agents stay where they are.',
    '',
  ].join('\n')
}
