import type { Browser, Locator, Page, Worker } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type PushedBrowser, PushService } from '../scenarios/notices/push-service.ts'
import { aProject, command } from '../scenarios/project.ts'
import { TOKEN } from '../scenarios/server/server-process.ts'
import { aBrowser, aPage, aScene, faultsOf, HAS_CHROMIUM, type Scene, sceneOf } from './scene.ts'

/**
 * Notes the holds whose notification is there. To ask Chromium for all of them while it shows one makes it forget that
 * one, so the tests ask only behind this.
 */
const NOTES_SHOWN = `
  globalThis.shown = []
  const { showNotification } = ServiceWorkerRegistration.prototype
  ServiceWorkerRegistration.prototype.showNotification = async function (title, options) {
    await showNotification.call(this, title, options)
    setTimeout(() => globalThis.shown.push(options.tag), 200)
  }`

/** A page that nobody looks at, whose person wants notifications. */
async function callable(browser: Browser, scene: Scene): Promise<Page> {
  const page = await aPage(browser)
  await page.addInitScript('document.hasFocus = () => false')
  await page.addInitScript(NOTES_SHOWN)
  await wantNotifications(page, scene)
  await page.keyboard.press('Escape')
  return page
}

/** The menu stays open. */
async function wantNotifications(page: Page, { url }: Scene): Promise<Locator> {
  await page.context().grantPermissions(['notifications'], { origin: url })
  await page.goto(url)
  await page.getByLabel('Token').fill(TOKEN)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: /^You are/ }).click()
  const choice = page.getByLabel('Notify me when something waits')
  await choice.click()
  await expect.poll(() => choice.isChecked()).toBe(true)
  return choice
}

/** Chromium without its maker's services has no push service: this one stands in for it, and all else is its own. */
const subscribesAs = ({ subscription }: PushedBrowser) => `
  PushManager.prototype.subscribe = async function (options) {
    globalThis.subscribedWith = options
    const subscription = { ...${JSON.stringify(subscription)}, toJSON: () => (${JSON.stringify(subscription)}) }
    const unsubscribe = async () => Boolean((PushManager.prototype.getSubscription = async () => null))
    const known = { ...subscription, unsubscribe }
    PushManager.prototype.getSubscription = async () => known
    return known
  }`

/** Delivers to the service worker as the browser does when its push service has a message. */
async function deliver(page: Page, url: string, data: string): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const { promise, resolve } = Promise.withResolvers<string>()
  session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
    const [own] = registrations.filter(({ scopeURL, isDeleted }) => scopeURL.startsWith(url) && !isDeleted)
    if (own) resolve(own.registrationId)
  })
  await session.send('ServiceWorker.enable')
  await session.send('ServiceWorker.deliverPushMessage', { origin: `${url}/`, registrationId: await promise, data })
  await session.detach()
}

/** No page of the inbox is open any more; the worker notes what it shows. */
async function leaveForWorker(page: Page, { url }: Scene): Promise<Worker> {
  await page.goto(`${url}/service-worker.js`)
  const [worker] = page.context().serviceWorkers()
  if (!worker) throw new TypeError('there is no service worker')
  await worker.evaluate(NOTES_SHOWN)
  return worker
}

async function aPushing(): Promise<Scene> {
  const project = await aProject({
    script: [{ calls: [command('tc_1', 'echo one')] }, 'Done.'],
    policy: { default: 'prompt' },
    config: { push: { allow_private: true } },
  })
  await project.holdpoint('trust', '--yes')
  return sceneOf(project)
}

const SHOWN_BY_WORKER = `registration.getNotifications()
  .then(all => all.map(({ title, body, tag, actions = [] }) => ({ title, body, tag, actions: actions.length })))`

const CLICK = `registration.getNotifications().then(([notification]) =>
  dispatchEvent(new NotificationEvent('notificationclick', { notification })))`

const SHOWN = `navigator.serviceWorker.ready
  .then(worker => worker.getNotifications())
  .then(all => all.map(({ title, body, tag, actions = [] }) => ({ title, body, tag, actions: actions.length })))`

describe.skipIf(!HAS_CHROMIUM)('notifications', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await aBrowser()
  })
  afterAll(async () => {
    await browser?.close()
  })

  test('P1: the service worker shows the act, leads to its card, decides nothing, and takes back what is decided', async () => {
    await using scene = await aScene({
      script: [{ calls: [command('tc_1', 'echo one')] }, 'Done.'],
      policy: { default: 'prompt' },
    })
    const page = await callable(browser, scene)
    await scene.start('Say one')
    const [held] = await scene.holds(1)
    const one = { title: expect.stringContaining('echo one'), body: expect.stringContaining('Say one') }
    const shown = () => page.evaluate('shown')
    await expect.poll(shown).toEqual([held.id])
    expect(await page.evaluate(SHOWN)).toEqual([{ ...one, tag: held.id, actions: 0 }])
    const [worker] = page.context().serviceWorkers()
    await worker?.evaluate(CLICK)
    await page.waitForURL(`**/holds/${held.id}`)
    expect((await scene.holds(1))[0].status).toBe('open')

    await scene.start('Say it again')
    const [next] = (await scene.holds(2)).filter(({ id }) => id !== held.id)
    const tags = async () => ((await page.evaluate(SHOWN)) as { tag: string }[]).map(({ tag }) => tag)
    await expect.poll(shown).toContain(next.id)
    expect(await tags()).toContain(next.id)
    await scene.server.send(`/v1/holds/${next.id}/decisions`, { body: { verdict: 'reject' } })
    await expect.poll(tags).not.toContain(next.id)
    expect(faultsOf(page)).toEqual([])
  })

  test('a hold that opened while no change reached the page calls once it is back, and none calls twice', async () => {
    await using scene = await aScene({
      script: [{ calls: [command('tc_1', 'echo one')] }, 'Done.'],
      policy: { default: 'prompt' },
    })
    const page = await callable(browser, scene)
    const shown = () => page.evaluate('shown')
    const opened: string[] = []
    const open = async () => {
      await scene.start()
      const holds = await scene.holds(opened.length + 1)
      opened.push(holds.find(({ id }) => !opened.includes(id)).id)
    }
    const away = async () => {
      await page.context().setOffline(true)
      await page.getByText('The server cannot be reached.').first().waitFor()
    }
    await open()
    await expect.poll(shown).toEqual(opened)
    await away()
    await open()
    // The page cannot continue after the last event that it has.
    const json = { status: 409, code: 'unknown_position', detail: 'There is no such position.' }
    await page.route('**/v1/changes', route => route.fulfill({ status: 409, json }), { times: 1 })
    await page.context().setOffline(false)
    await expect.poll(shown).toEqual(opened)
    await away()
    await open()
    await page.context().setOffline(false)
    await expect.poll(shown).toEqual(opened)
    expect(faultsOf(page)).toEqual([])
  })

  test('P1: a push shows the act while no page is open, leads to its card, and decides nothing', async () => {
    await using service = await PushService.open()
    await using scene = await aPushing()
    const { public_key } = (await scene.server.send('/v1/push')).json
    const subscribed = service.browser(public_key)
    const page = await aPage(browser)
    await page.addInitScript(subscribesAs(subscribed))
    const noted = page.waitForResponse(answer => answer.request().method() === 'POST' && /push$/.test(answer.url()))
    const choice = await wantNotifications(page, scene)
    expect((await noted).status()).toBe(204)
    const options = { userVisibleOnly: true, applicationServerKey: public_key }
    expect(await page.evaluate('subscribedWith')).toEqual(options)

    const worker = await leaveForWorker(page, scene)
    await scene.start('Say one')
    const [held] = await scene.holds(1)
    await expect.poll(() => subscribed.pushed.length).toBe(1)
    await deliver(page, scene.url, JSON.stringify(subscribed.pushed[0]?.message))
    await expect.poll(() => worker.evaluate('shown')).toEqual([held.id])
    const one = { title: expect.stringContaining('echo one'), body: expect.stringContaining('Say one') }
    expect(await worker.evaluate(SHOWN_BY_WORKER)).toEqual([{ ...one, tag: held.id, actions: 0 }])

    await page.goto(scene.url)
    await page.getByRole('button', { name: /^You are/ }).click()
    await expect.poll(() => choice.isChecked()).toBe(true)
    await worker.evaluate(CLICK)
    await page.waitForURL(`**/holds/${held.id}`)
    expect((await scene.holds(1))[0].status).toBe('open')
    expect(faultsOf(page)).toEqual([])
  })

  test('a push takes back what was decided while no page was open', async () => {
    await using scene = await aPushing()
    const page = await callable(browser, scene)
    await scene.start('Say one')
    const [held] = await scene.holds(1)
    await expect.poll(() => page.evaluate('shown')).toEqual([held.id])
    const worker = await leaveForWorker(page, scene)
    expect(await worker.evaluate(SHOWN_BY_WORKER)).toMatchObject([{ tag: held.id }])
    await scene.server.send(`/v1/holds/${held.id}/decisions`, { body: { verdict: 'reject' } })
    const message = { hold_id: null, title: '2 wait for you', body: 'one\nother' }
    await deliver(page, scene.url, JSON.stringify(message))
    await expect.poll(() => worker.evaluate('shown')).toEqual(['all'])
    expect(await worker.evaluate(SHOWN_BY_WORKER)).toEqual([
      { title: '2 wait for you', body: 'one\nother', tag: 'all', actions: 0 },
    ])
  })

  test('a person is told why nothing is pushed, and a browser that wants no more is forgotten', async () => {
    await using service = await PushService.open()
    await using scene = await aPushing()
    const { public_key } = (await scene.server.send('/v1/push')).json
    const page = await aPage(browser)
    const choice = await wantNotifications(page, scene)
    const only = 'Notifications come only while this page is open.'
    await page.getByText(`This browser reaches no push service. ${only}`).waitFor()
    expect(await choice.isChecked()).toBe(true)

    const subscribed = service.browser(public_key)
    await page.evaluate(subscribesAs(subscribed))
    await choice.click()
    await choice.click()
    await page.getByText(only).waitFor({ state: 'detached' })
    const gone = page.waitForResponse(answer => answer.request().method() === 'DELETE')
    await choice.click()
    expect((await gone).status()).toBe(204)
  })

  test('the page can be installed', async () => {
    await using scene = await aScene({ script: ['Done.'] })
    const page = await aPage(browser)
    await page.goto(scene.url)
    const session = await page.context().newCDPSession(page)
    const { errors, data } = await session.send('Page.getAppManifest')
    expect([errors, JSON.parse(data ?? '{}')]).toMatchObject([[], { name: 'Holdpoint', display: 'standalone' }])
    const { installabilityErrors } = await session.send('Page.getInstallabilityErrors')
    expect(installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito')).toEqual([])
  })
})
