import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { axeFaults } from './axe.ts'
import { aCorpusScene, type CorpusScene, HARD } from './corpus/corpus-scene.ts'
import { aBrowser, faultsOf, HAS_CHROMIUM, signedIn } from './scene.ts'

describe.skipIf(!HAS_CHROMIUM)('the words of an agent', () => {
  let browser: Browser
  let scene: CorpusScene
  beforeAll(async () => {
    browser = await aBrowser()
    scene = await aCorpusScene([HARD])
  })
  afterAll(async () => {
    await browser?.close()
    await scene?.[Symbol.asyncDispose]()
  })

  test.each(['card', 'conversation'])('are drawn from their Markdown (%s)', async place => {
    const path = place === 'card' ? `/holds/${scene.hold['tc_1']}` : `/threads/${scene.of['writer']?.thread_id}`
    const page = await signedIn(browser, scene.url, { path })
    await page.getByText('What I would do', { exact: true }).first().waitFor()
    const said =
      place === 'card'
        ? page.getByRole('article')
        : page.getByRole('article').filter({ hasText: 'What I would do' }).first()
    await said.getByText('green', { exact: true }).and(page.locator('strong')).waitFor()
    await said.getByText('shop@1.4.3', { exact: true }).and(page.locator('code')).waitFor()
    await said.getByRole('cell', { name: 'eu-central-1' }).waitFor()
    await said.getByRole('listitem').filter({ hasText: 'with the new image' }).first().waitFor()
    await said.getByText('kubectl apply -f deploy/shop.yaml', { exact: true }).waitFor()
    expect(await axeFaults(page)).toEqual([])
    expect(faultsOf(page)).toEqual([])
  })

  test('P9: nothing of it runs, is fetched or hides, and a link shows where it leads', async () => {
    const page = await signedIn(browser, scene.url)
    const asked: string[] = []
    page.on('request', request => asked.push(request.url()))
    await page.goto(`${scene.url}/holds/${scene.hold['tc_1']}`)
    const link = page.getByRole('link', { name: 'https://notes.example/1.4.3' })
    await link.waitFor()
    expect(await link.getAttribute('rel')).toBe('noreferrer noopener')
    const shown = (await page.getByRole('article').textContent()) ?? ''
    expect(shown).toContain('The release notes (https://notes.example/1.4.3)')
    expect(shown).toContain(
      'Pay \\u{202e}001\\u{202c} to \\u{200b}ana. <b>No HTML</b> <img src=x onerror="document.title=1">',
    )
    expect(shown).toContain('https://track.example/pixel.png')
    expect(await page.getByRole('article').locator('img').count()).toBe(0)
    expect(asked.filter(url => !url.startsWith(scene.url))).toEqual([])
    expect(await page.title()).toMatch(/Holdpoint$/)
  })

  test('a question of several lines has its first line as the title', async () => {
    const page = await signedIn(browser, scene.url, { path: `/holds/${scene.hold['tc_2']}` })
    await page.getByRole('heading', { level: 1, name: 'Which plan shall I follow?' }).waitFor()
    await page.getByRole('article').getByText('Fast', { exact: true }).and(page.locator('em')).waitFor()
    await page.getByRole('button', { name: 'Safe' }).waitFor()
  })
})
