/** `holdpoint work`: the verb of the face, with signals, flags and output around it. */

import type { CommandContext } from '../command/command.ts'
import { openApp } from '../compose/compose.ts'
import { ENGINES, type Engine } from '../compose/engines.ts'
import type { AppOptions } from '../compose/open-options.ts'
import { exitCodeOf, type StopSignal, watchForDrain } from '../process/interruption.ts'
import { makeProjectDirectory, type ProjectConfig, readConfig } from '../project/project.ts'
import { isDefaultStore, isStoreThere, storeUrl, unlessMissing } from '../project/store-url.ts'
import { refuseUntrusted } from '../project/trust.ts'
import { argumentRefusals } from '../refusals/argument-refusals.ts'
import { keepHost } from './keep-host.ts'
import { notifyBeside, openNotifying } from './notify-beside.ts'
import { WorkHere } from './work-here.ts'
import { readEngine, readWorkSettings, type WorkSettings } from './work-settings.ts'

export async function run(context: CommandContext): Promise<number> {
  const { given, env, directory } = context
  if (given.words.length > 0) throw argumentRefusals.takesNoWords('work', given.words)
  const settings = readWorkSettings(given)
  const engineName = readEngine(given)
  const config = await readConfig(directory, env)
  await refuseUntrusted(directory, config, env)
  const store = storeUrl(given.value('store'), env, config)
  const mustExist = settings.once
  if (mustExist && !isStoreThere(store, directory)) return nothingYet(context)
  const engine = engineName && (await ENGINES[engineName](store))
  if (isDefaultStore(store, config)) makeProjectDirectory(directory)
  const opening = { store, mustExist, messageLimits: config.message_limits, maxConcurrent: config.max_concurrent }
  const worked = await unlessMissing(() => workIn(opening, { ...settings, config, engine }, context))
  if (worked === null) return nothingYet(context)
  const { stoppedBy, failed } = worked
  // After a signal, the process does not wait for a tool that ignores it.
  if (stoppedBy) process.exit(AFTER_DRAIN[stoppedBy])
  return settings.once && failed ? 1 : 0
}

/** SIGTERM is the usual request to stop, so the exit code is 0. */
const AFTER_DRAIN: Record<StopSignal, number> = {
  SIGTERM: 0,
  SIGINT: exitCodeOf('SIGINT'),
  SIGHUP: exitCodeOf('SIGHUP'),
}

async function workIn(
  opening: Required<Pick<AppOptions, 'store' | 'mustExist' | 'messageLimits' | 'maxConcurrent'>>,
  { config, engine, ...settings }: WorkSettings & { readonly config: ProjectConfig; readonly engine: Engine | null },
  context: CommandContext,
): Promise<{ stoppedBy: StopSignal | null; failed: boolean }> {
  const { directory, env } = context
  using stop = watchForDrain()
  const work = new WorkHere(context, stop, { ...settings, retention: config.retention })
  const telling = { as: 'holdpoint work', err: context.io.err, log: work.log }
  const notices = await openNotifying(config, { directory, env, ...telling })
  await using app = await openApp({ ...opening, directory, env, onEvent: work.hear })
  await using _host = settings.once ? null : await keepHost(app.store)
  await using dispatcher = engine && (await engine.open())
  const beside = { app, signal: stop.signal, once: settings.once }
  const { failed } = await notifyBeside(notices, beside, () => work.on(app, dispatcher))
  return { stoppedBy: stop.stoppedBy(), failed }
}

function nothingYet({ io, json }: CommandContext): number {
  if (!json) io.out('Nothing was run here yet.\n')
  return 0
}
