/** `holdpoint checkpoint export`: a run leaves for a runner that shares no store. */

import { resolve } from 'node:path'
import type { Amount } from '../../../core/count.ts'
import { bundleRefusals } from '../../../core/refusals/bundle-refusals.ts'
import { jsonLine } from '../../../core/text/visible-text.ts'
import type { Holdpoint } from '../../../runtime/face/holdpoint.ts'
import type { Bundle } from '../../../runtime/threads/bundles.ts'
import { bundleKey } from '../../bundles/bundle-key.ts'
import { sealBundle } from '../../bundles/seal-bundle.ts'
import { type ReservedFile, reserveFile } from '../../bundles/write-bundle.ts'
import type { CommandContext } from '../../command/command.ts'
import { fullId } from '../../command/full-id.ts'
import { ProgressMeter } from '../../display/progress-meter.ts'
import { KeptManifest } from '../../outcome/manifest.ts'
import { actor } from '../../process/actor.ts'
import { refuseAgent } from '../../process/lineage/refuse-agent.ts'
import { shellWord } from '../../process/shell-word.ts'
import { version } from '../../process/version.ts'
import { argumentRefusals } from '../../refusals/argument-refusals.ts'
import { onlyWord, openForReading } from '../open-for-reading.ts'

const USAGE = 'checkpoint export CHECKPOINT --out FILE'

export async function run(context: CommandContext): Promise<number> {
  const [verb, ...words] = context.given.words
  if (verb !== 'export')
    throw argumentRefusals.usage(USAGE, '`holdpoint checkpoints SESSION` lists the checkpoints of a session.')
  const checkpoint = onlyWord(words, USAGE)
  const out = context.given.value('out')
  if (!out) throw argumentRefusals.noOut()
  return out === '-' ? exportToStdout(context, checkpoint) : exportToFile(context, { checkpoint, out })
}

interface Exported extends Bundle {
  readonly text: string
}

async function exportCheckpoint(context: CommandContext, { checkpoint, file }: Leaving): Promise<Exported> {
  const isShown = context.given.value('out') === '-' && context.io.isTerminal
  using meter = new ProgressMeter({ ...context, json: context.json || isShown }, { label: 'Exporting', unit: 'events' })
  const { given, env, io } = context
  refuseAgent(env, bundleRefusals.agentCannotExport)
  const key = await bundleKey(given.value('key-file'), env)
  await using app = await openForReading(context)
  let text = ''
  const keep = async (kept: Bundle) => {
    text = await sealBundle(kept, key)
    file?.write(text)
  }
  const bundle = await app.holdpoint.bundles.export(await fullId(app.holdpoint, checkpoint), {
    by: actor(env),
    surface: 'cli',
    holdpoint: version(),
    ...(file && { keep }),
    onProgress: (events, of) => meter.tell(events, of),
  })
  if (file) file.commit()
  else await keep(bundle)
  await takeBackManifest(app.holdpoint, bundle, io)
  return { ...bundle, text }
}

interface Leaving {
  readonly checkpoint: string
  /** `null`: a reader of stdout gets it once it has left, since that one may go on with it at once. */
  readonly file: ReservedFile | null
}

/** The pause can no longer be decided here. */
async function takeBackManifest(
  holdpoint: Holdpoint,
  { header: { run_id } }: Bundle,
  io: CommandContext['io'],
): Promise<void> {
  const { profile } = await holdpoint.run(run_id)
  if (profile.project !== null) new KeptManifest(io, profile.project).takeBack(run_id)
}

async function exportToStdout(context: CommandContext, checkpoint: string): Promise<number> {
  const { text } = await exportCheckpoint(context, { checkpoint, file: null })
  context.io.out(text)
  return 0
}

async function exportToFile(
  context: CommandContext,
  { checkpoint, out }: { readonly checkpoint: string; readonly out: string },
): Promise<number> {
  using file = reserveFile(resolve(context.directory, out), checkpoint)
  const exported = await exportCheckpoint(context, { checkpoint, file })
  const { json, io } = context
  const encrypted = exported.text.includes('"encryption":{')
  io.out(json ? jsonLine(document(exported, { out, encrypted })) : asText(exported, out))
  if (!encrypted && !json)
    io.err(
      `holdpoint: warning: ${out} is not encrypted: whoever can write it can forge approvals, and whoever can read it has the conversation. Set HOLDPOINT_BUNDLE_KEY on both sides.\n`,
    )
  return 0
}

/** A run that has left in a file. */
export interface ExportedCheckpoint {
  readonly bundle_id: string
  /** The file, as it was named. */
  readonly file: string
  readonly session_id: string
  readonly run_id: string
  readonly checkpoint_id: string
  /** ISO time. */
  readonly exported_at: string
  readonly encrypted: boolean
  readonly bytes: Amount
  /** How many events of its session are in it. */
  readonly events: Amount
}

function document(
  { header, text, thread }: Exported,
  { out: file, encrypted }: { out: string; encrypted: boolean },
): ExportedCheckpoint {
  const { bundle_id, run_id, checkpoint_id, thread_id: session_id, created_at: exported_at } = header
  const bytes = Buffer.byteLength(text)
  const events = thread.events.length
  return { bundle_id, file, session_id, run_id, checkpoint_id, exported_at, encrypted, bytes, events }
}

function asText({ header }: Exported, out: string): string {
  return [
    `Exported ${header.run_id} of session ${header.thread_id} as ${header.bundle_id} to ${out}.`,
    'Nothing of it can be decided or go on here any more. On another runner, go on with:',
    `  holdpoint -c ${shellWord(out)}`,
    'The same command here takes it back.',
    '',
  ].join('\n')
}
