/** A project with a server, and a browser that is signed in to it. */

import { existsSync } from 'node:fs'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { patienceMs } from '../patience.ts'
import { aProject, type Project, type ProjectOptions } from '../scenarios/project.ts'
import { aServer, type ServerProcess, TOKEN } from '../scenarios/server/server-process.ts'

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync)

/** Tests of the page are skipped without one. */
export const HAS_CHROMIUM: boolean = CHROMIUM !== undefined

export const DESKTOP: BrowserContextOptions = { viewport: { width: 1280, height: 800 } }
export const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  deviceScaleFactor: 2,
  hasTouch: true,
  isMobile: true,
}

export async function aBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM ?? '', args: ['--no-sandbox', '--font-render-hinting=none'] })
}

export interface Scene extends AsyncDisposable {
  readonly project: Project
  readonly server: ServerProcess
  readonly url: string
  /** Starts a run. */
  start(input?: string): Promise<{ readonly run_id: string; readonly thread_id: string }>
  /** So many open holds, once there are. */
  // biome-ignore lint/suspicious/noExplicitAny: documents are checked by the tests that read them
  holds(count: number): Promise<any[]>
}

export async function aScene(options: ProjectOptions, ...args: string[]): Promise<Scene> {
  return sceneOf(await aProject(options), ...args)
}

/** The scene owns the project from now on. */
export async function sceneOf(project: Project, ...args: string[]): Promise<Scene> {
  const stack = new AsyncDisposableStack()
  stack.use(project)
  const server = stack.use(await aServer(project, ...args))
  const { url } = server
  return {
    ...{ project, server, url },
    start: async (input = 'go') => (await server.send('/v1/threads', { body: { input } })).json,
    holds: async count => {
      for (const deadline = Date.now() + patienceMs(); ; ) {
        const { json } = await server.send('/v1/holds?limit=500')
        if (json.holds.length >= count) return json.holds
        if (Date.now() > deadline) throw new TypeError(`${json.holds.length} of ${count} holds are open`)
        await new Promise(resolve => setTimeout(resolve, 25))
      }
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

/** A page of its own context, whose person has signed in. What the policy of the page blocks, and what it throws, fails the test. */
export async function signedIn(browser: Browser, url: string, options: Visit = {}): Promise<Page> {
  const { token = TOKEN, path = '/', ...context } = options
  const page = await aPage(browser, context)
  await page.goto(url)
  await page.getByLabel('Token').fill(token)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: /^You are/ }).waitFor()
  if (path !== '/') await page.goto(url + path)
  return page
}

interface Visit extends BrowserContextOptions {
  readonly token?: string
  readonly path?: string
}

/** By page: errors of its scripts, and what its policy blocked. */
const faults = new WeakMap<Page, string[]>()

export async function aPage(browser: Browser, context: BrowserContextOptions = DESKTOP): Promise<Page> {
  const page = await (await browser.newContext({ ...DESKTOP, ...context })).newPage()
  page.setDefaultTimeout(patienceMs())
  const found: string[] = []
  faults.set(page, found)
  page.on('pageerror', error => found.push(error.message))
  page.on('console', message => {
    if (/Content Security Policy|Trusted|TrustedScript/.test(message.text())) found.push(message.text())
  })
  return page
}

export function faultsOf(page: Page): readonly string[] {
  return faults.get(page) ?? []
}
