/** `holdpoint inbox`: the page for people, with the person at this terminal signed in. */

import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { unknown } from '../../../core/errors.ts'
import { jsonLine } from '../../../core/text/visible-text.ts'
import { SURFACE } from '../../../protocols/rest/route/rest-route.ts'
import { Sessions } from '../../../runtime/access/sessions.ts'
import type { CommandContext } from '../../command/command.ts'
import { fullId } from '../../command/full-id.ts'
import { type App, openApp } from '../../compose/compose.ts'
import { actor } from '../../process/actor.ts'
import { refuseAgent } from '../../process/lineage/refuse-agent.ts'
import { systemClock } from '../../process/system-clock.ts'
import { systemIds } from '../../process/system-ids.ts'
import { makeProjectDirectory, readConfig } from '../../project/project.ts'
import { storeUrl } from '../../project/store-url.ts'
import { argumentRefusals } from '../../refusals/argument-refusals.ts'
import { serverRefusals } from '../../refusals/server-refusals.ts'
import { pageDirectory } from '../page/assets.ts'
import { linkTo } from '../page/open-link.ts'
import { serve } from '../run-server.ts'
import { notedServer } from '../server-note.ts'
import { readServerSettings } from '../server-settings.ts'

/** The output with --json. */
export interface InboxDocument {
  readonly url: string
  /** Signs a browser in, once. */
  readonly link: string
  readonly expires_at: string
  readonly name: string
  /** False if a server was running already: then the command ends. */
  readonly started: boolean
}

export async function run(context: CommandContext): Promise<number> {
  const { given, env, directory } = context
  const [hold, ...more] = given.words
  if (more.length > 0) throw argumentRefusals.usage('inbox [HOLD]')
  refuseAgent(env, serverRefusals.inboxWithinAgent)
  if (pageDirectory() === null) throw serverRefusals.noPage()
  const config = await readConfig(directory, env)
  const store = storeUrl(given.value('store'), env, config)
  const running = given.has('port') ? null : notedServer(directory, store)
  if (running === null) return start(context, hold)
  if (running.owner_digest === null) throw serverRefusals.forOthers(running.url)
  await using app = await openApp({ store, directory, env })
  refuseAgent(env, serverRefusals.inboxWithinAgent)
  const place = await placeOf(app, hold)
  const { url, owner_digest: ownerDigest } = running
  const { opened } = await welcome(context, { app, url, ownerDigest, place, started: false })
  await opened
  return 0
}

async function start(context: CommandContext, hold: string | undefined): Promise<number> {
  const { given, env } = context
  const settings = readServerSettings({ ...given, words: [] }, env)
  const orAnyPort = !given.has('port')
  return serve(
    context,
    { ...settings, orAnyPort },
    {
      onListening: async ({ app, url, callers }) => {
        const place = await placeOf(app, hold)
        await welcome(context, { app, url, ownerDigest: callers.ownerDigest ?? '', place, started: true })
      },
    },
  )
}

/** A path of the page. @throws RefusedError `unknown_hold` */
async function placeOf({ holdpoint }: App, named: string | undefined): Promise<string> {
  if (named === undefined) return '/'
  const hold = await holdpoint.hold(await fullId(holdpoint, named))
  if (hold === null) throw unknown('unknown_hold', 'hold', { id: named, find: 'find_hold' })
  return `/holds/${hold.id}`
}

interface Welcome {
  readonly app: App
  readonly url: string
  readonly ownerDigest: string
  readonly place: string
  readonly started: boolean
}

/** Resolves when the link is printed. `opened` resolves when the browser that was opened has used it. */
async function welcome(context: CommandContext, welcome: Welcome): Promise<{ readonly opened: Promise<void> }> {
  const { env, io, json, given } = context
  const { app, url, ownerDigest, place, started } = welcome
  const name = actor(env)
  const sessions = new Sessions({ store: app.store, ids: systemIds, clock: systemClock, ownerSecret: null })
  const person = { name, role: 'admin', groups: [], proof: { kind: 'owner', digest: ownerDigest } } as const
  const { secret, session } = await sessions.link(person, SURFACE)
  const link = linkTo(url, { link: secret, next: place })
  if (json) {
    io.out(jsonLine({ url, link, expires_at: session.expires_at, name, started } satisfies InboxDocument))
    return { opened: Promise.resolve() }
  }
  io.err(`The inbox is at ${url}. To sign in as ${name}, once and within five minutes:\n`)
  io.out(`${link}\n`)
  if (started) io.err('Ctrl-C ends the server. `holdpoint inbox` in another terminal gives another link.\n')
  const browser = given.has('no-open') ? null : openBrowser(link, context)
  if (browser) io.err('Your browser opens it.\n')
  return { opened: browser ? untilUsed(sessions, secret, browser) : Promise.resolve() }
}

const LOOK_MS = 200
const LOOKS = 300

/** A browser that does not come within a minute needs the person, who has the link. */
async function untilUsed(sessions: Sessions, secret: string, browser: Disposable): Promise<void> {
  using _file = browser
  for (let look = 0; look < LOOKS && (await sessions.isUnusedLink(secret)); look += 1)
    await setTimeout(LOOK_MS, undefined, { ref: false })
}

type Deps = Pick<CommandContext, 'env' | 'io' | 'directory'>

/**
 * Opens the person's browser at a link. Other users of this machine can read the arguments of processes, so the browser
 * gets a file that leads to the link, which its owner alone can read, and by its name no agent. Dispose of it when the link was used. `null` if there
 * is no browser to open.
 */
function openBrowser(link: string, { env, io, directory }: Deps): Disposable | null {
  const [program, ...args] = io.isTerminal ? browserIn(env) : []
  if (program === undefined) return null
  const file = join(makeProjectDirectory(directory), `open-${randomBytes(8).toString('hex')}-token.html`)
  writeFileSync(file, pageThatLeadsTo(link), { flag: 'wx', mode: 0o600 })
  const remove = () => rmSync(file, { force: true })
  process.once('exit', remove)
  const browser = spawn(program, [...args, pathToFileURL(file).href], { detached: true, stdio: 'ignore' })
  browser.once('error', () => io.err(`${program} could not be started: open the link yourself.\n`))
  browser.unref()
  return { [Symbol.dispose]: remove }
}

/** The program with its arguments; none without a screen. */
function browserIn(env: Deps['env']): readonly string[] {
  const [named] = (env['BROWSER'] ?? '').split(':')
  if (named) return named.split(' ').filter(word => word !== '' && word !== '%s')
  if (process.platform === 'darwin') return ['open']
  return env['DISPLAY'] || env['WAYLAND_DISPLAY'] ? ['xdg-open'] : []
}

/** A link has nothing that HTML would read otherwise. */
function pageThatLeadsTo(link: string): string {
  const address = link.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
  return `<!doctype html><meta http-equiv="refresh" content="0;url=${address}"><title>Holdpoint</title><a href="${address}">Open the inbox</a>\n`
}
