/** `holdpoint work`: the verb of the face, with signals, flags and output around it. */
import { RefusedError } from '../../core/errors.ts'
import type { EventSink } from '../../ports/event-sink.ts'
import type { WorkEvent } from '../../runtime/worker/work-options.ts'
import type { CommandContext } from '../command/command.ts'
import { openApp } from '../compose/compose.ts'
import type { OpenOptions } from '../compose/open-options.ts'
import { LogLines } from '../display/run/log-lines.ts'
import { actor } from '../process/actor.ts'
import { exitCodeOf, type StopSignal, watchForDrain } from '../process/interruption.ts'
import { makeProjectDirectory, type ProjectConfig, readConfig } from '../project/project.ts'
import { isDefaultStore, refuseMissingStore, storeUrl } from '../project/store-url.ts'
import { refuseUntrusted } from '../project/trust.ts'
import { keepRetention } from './keep-retention.ts'
import { ProjectRuns } from './project-runs.ts'
import { tidyEnded } from './tidy-ended.ts'
import { tellWork } from './work-report.ts'
import { readWorkSettings, type WorkSettings } from './work-settings.ts'

export async function run(context: CommandContext): Promise<number> {
  const { given, env, directory, io, json } = context
  refuseWords(given.words)
  const settings = readWorkSettings(given)
  const config = await readConfig(directory, env)
  await refuseUntrusted(directory, config, env)
  const store = storeUrl(given.value('store'), env, config)
  if (settings.once && isMissing(store, directory)) {
    if (!json) io.out('Nothing was run here yet.\n')
    return 0
  }
  if (isDefaultStore(store, config)) makeProjectDirectory(directory)
  const { stoppedBy, failed } = await workIn(
    { store, messageLimits: config.message_limits },
    { ...settings, retention: config.retention },
    context,
  )
  // After a signal, the process does not wait for a tool that ignores it.
  if (stoppedBy) process.exit(AFTER_DRAIN[stoppedBy])
  return settings.once && failed ? 1 : 0
}

/** SIGTERM is how a worker is told that its work is done. */
const AFTER_DRAIN: Record<StopSignal, number> = {
  SIGTERM: 0,
  SIGINT: exitCodeOf('SIGINT'),
  SIGHUP: exitCodeOf('SIGHUP'),
}

async function workIn(
  opening: Required<Pick<OpenOptions, 'store' | 'messageLimits'>>,
  { verbose, retention, ...settings }: WorkSettings & Pick<ProjectConfig, 'retention'>,
  { directory, env, io, json }: CommandContext,
): Promise<{ stoppedBy: StopSignal | null; failed: boolean }> {
  using stop = watchForDrain()
  const runs = new ProjectRuns(io, stop.stoppedBy)
  const log = new LogLines()
  const onEvent: EventSink = event => {
    runs.hear(event)
    const line = verbose ? log.hear(event) : null
    if (line !== null) io.err(`${event.run_id}: ${line}\n`)
  }
  await using app = await openApp({ ...opening, directory, env, onEvent })
  const { holdpoint } = app
  const report = { io, json, documentOf: runs.documentOf.bind(runs, holdpoint) }
  await tidyEnded(holdpoint, directory, io)
  await using _ = await keepRetention(holdpoint, retention, { io, json, by: actor(env) })
  let failed = false
  await holdpoint.work({
    ...settings,
    signal: stop.signal,
    stopSignal: stop.stopSignal,
    advance: runs.advance(app),
    onEvent: (event: WorkEvent) => {
      failed ||= event.kind === 'run.failed'
      tellWork(report, event)
    },
  })
  return { stoppedBy: stop.stoppedBy(), failed }
}

function isMissing(store: string, directory: string): boolean {
  try {
    refuseMissingStore(store, directory)
    return false
  } catch {
    return true
  }
}

function refuseWords(words: readonly string[]): void {
  if (words.length === 0) return
  throw new RefusedError(
    'invalid_arguments',
    `work takes no words, but was given ${JSON.stringify(words.join(' '))}.`,
    {
      hint: 'To send these words to an agent instead, put them after `--`.',
    },
  )
}
