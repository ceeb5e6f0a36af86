/** Sends notices from a worker or a server: people are notified as long as one of them runs. */
import { messageOf } from '../../core/errors.ts'
import { visibleLine } from '../../core/text/visible-text.ts'
import type { NotifyEvent } from '../../runtime/notify/notify-deps.ts'
import type { App } from '../compose/compose.ts'
import { systemClock } from '../process/system-clock.ts'
import { systemIds } from '../process/system-ids.ts'
import type { ProjectConfig } from '../project/project.ts'
import type { JsonLog } from '../telemetry/log/json-log.ts'

interface Telling {
  /** Before each line on stderr: `holdpoint work`. */
  readonly as: string
  readonly err: (text: string) => void
  readonly log: JsonLog | null
  /** True to say each try that failed; else of a notice only the first and the last one. */
  readonly saysEach?: boolean
  /** True for a server, which also pushes to the browsers that subscribed at it. */
  readonly pushes?: boolean
}

export interface Notices {
  /** Takes the secrets of channels out of the environment: processes that are started here must not inherit them. */
  withhold(): void
  /** Until the signal is aborted; with `once` until nothing is due. */
  run(app: App, options: { readonly signal: AbortSignal; readonly once?: boolean }): Promise<void>
}

/** `null` if the project sends no notices, and this process pushes none. @throws RefusedError as `channelSecret` */
export async function openNotifying(
  config: NoticeConfig,
  { directory, env, ...telling }: Telling & NoticePlace,
): Promise<Notices | null> {
  const { notify, root } = config
  if (notify === null && !telling.pushes) return null
  const { readChannels } = await import('../compose/notices/notifiers.ts')
  const secrets = notify ? await readChannels(notify, env) : new Map<string, string>()
  return {
    withhold: () => {
      for (const name of secrets.keys()) delete process.env[name]
    },
    run: async (app, options) => {
      const opening = { directory: root ?? directory, env, secrets }
      const rings = notify?.channels.terminal && !options.once
      await Promise.all([
        tellPeople(config, opening, { ...options, app, telling }),
        rings && import('./ring-terminal.ts').then(({ ringTerminal }) => ringTerminal(app, options.signal)),
      ])
    },
  }
}

interface NoticePlace {
  readonly directory: string
  readonly env: Readonly<Record<string, string | undefined>>
}

type NoticeConfig = Pick<ProjectConfig, 'notify' | 'push' | 'people' | 'groups' | 'sign_in' | 'root'>

async function tellPeople(
  config: NoticeConfig,
  opening: NoticePlace & { readonly secrets: ReadonlyMap<string, string> },
  { app, telling, ...options }: { app: App; telling: Telling; signal: AbortSignal; once?: boolean },
): Promise<void> {
  const { openNotices } = await import('../compose/notices/notifiers.ts')
  const { notifyPeople } = await import('../../runtime/notify/notify-people.ts')
  const opened = await openNotices(config, { ...opening, pushesFrom: telling.pushes ? app.store : null })
  if (opened === null) return
  await using closing = new AsyncDisposableStack()
  for (const notifier of opened.notifiers) closing.use(notifier)
  const tell = (event: NotifyEvent) => tellOf(event, telling)
  const deps = { ...opened, store: app.store, clock: systemClock, ids: systemIds, tell }
  await notifyPeople(deps, { ...options, random: Math.random })
}

/** Runs `main` with notices in parallel. They end with it. */
export async function notifyBeside<T>(
  notices: Notices | null,
  { app, signal, once = false }: { readonly app: App; readonly signal: AbortSignal; readonly once?: boolean },
  main: () => Promise<T>,
): Promise<T> {
  if (notices === null) return main()
  notices.withhold()
  if (once) {
    const result = await main()
    await notices.run(app, { signal, once })
    return result
  }
  const over = new AbortController()
  const told = notices.run(app, { signal: AbortSignal.any([signal, over.signal]) })
  // A failure of the store is met by `main` too.
  told.catch(() => {})
  try {
    return await main()
  } finally {
    over.abort()
    await told.catch(() => {})
  }
}

/** Trouble alone: what was sent is in `holdpoint notices`. */
function tellOf(event: NotifyEvent, { as, err, log, saysEach = false }: Telling): void {
  if (event.kind === 'notify.failed') {
    if (log) log.write('error', 'notify.failed', { message: messageOf(event.error) })
    else err(`${as}: notices wait: ${visibleLine(messageOf(event.error))}\n`)
    return
  }
  if (event.kind !== 'notice.failed') return
  const { notice, error, retry_at } = event
  if (log) {
    const { id: notice_id, channel, hold_id, tries } = notice
    log.write('warn', event.kind, { notice_id, channel, hold_id, tries, retry_at, message: messageOf(error) })
  } else if (saysEach || notice.tries === 1 || retry_at === null) {
    const then = retry_at === null ? 'it is given up; see `holdpoint notices --failed`' : 'it is tried again'
    err(`${as}: ${visibleLine(`${notice.channel} did not take ${notice.id}: ${messageOf(error)}`)} (${then})\n`)
  }
}
