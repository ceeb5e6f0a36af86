import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { effect } from '../scenarios/project.ts'
import { axeFaults } from './axe.ts'
import { aBrowser, aPage, aScene, faultsOf, HAS_CHROMIUM, PHONE, type Scene, signedIn } from './scene.ts'

describe.skipIf(!HAS_CHROMIUM)('the frame', () => {
  let browser: Browser
  let scene: Scene
  beforeAll(async () => {
    browser = await aBrowser()
    scene = await aScene({ script: [{ calls: [effect('tc_1', 'applied')] }, 'Done.'], policy: { default: 'prompt' } })
  })
  afterAll(async () => {
    await browser?.close()
    await scene?.[Symbol.asyncDispose]()
  })

  test('a person signs in with a token, sees that nothing waits, and sees a hold as it opens', async () => {
    const page = await signedIn(browser, scene.url)
    await page.getByText('Nothing waits').waitFor()
    await scene.start()
    await page.getByRole('link', { name: /echo applied/ }).waitFor()
    expect(await axeFaults(page)).toEqual([])
    expect(faultsOf(page)).toEqual([])
  })

  test('a token that is none is refused in words, and the page stays', async () => {
    const page = await aPage(browser, PHONE)
    await page.goto(scene.url)
    expect(await axeFaults(page)).toEqual([])
    await page.getByLabel('Token').fill('wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText(/That is not a token of this server/).waitFor()
  })

  test('a room that the server has no more says that the page is out of date, and a reload mends it', async () => {
    const page = await signedIn(browser, scene.url)
    await page.route('**/audit-page-*.js', route => route.fulfill({ status: 404 }))
    await page.getByRole('link', { name: 'Audit' }).click()
    await page.getByRole('heading', { name: 'This page is out of date' }).waitFor()
    expect(await axeFaults(page)).toEqual([])
    await page.getByRole('link', { name: 'Runs' }).click()
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.getByRole('link', { name: 'Audit' }).click()
    await page.unroute('**/audit-page-*.js')
    await page.getByRole('button', { name: 'Reload' }).click()
    await page.getByRole('heading', { level: 1, name: /Audit/ }).waitFor()
  })

  test('without JavaScript the page says which command does the same', async () => {
    const page = await aPage(browser, { javaScriptEnabled: false })
    await page.goto(scene.url)
    expect(await page.textContent('body')).toContain('holdpoint approve HOLD')
  })
})
