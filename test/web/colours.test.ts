import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aProject } from '../scenarios/project.ts'
import { axeFaults } from './axe.ts'
import { aBrowser, faultsOf, HAS_CHROMIUM, PHONE, type Scene, sceneOf, signedIn } from './scene.ts'

const DIFF = `@@ -1,5 +1,7 @@
 import { pay } from './pay.ts'
-const LIMIT = 20 // in EUR
+const LIMIT = 35 // in EUR
 
-export const HOST = 'https://paypal.com/refunds'
+export const HOST = 'https://p\u0430ypal.com/refunds'
+/** Sends the money back. */
+export async function refund(order: string): Promise<void> {
`

/** Its previews are a change of code, one of prose, and one that is too long for colours. */
const AGENT = `import { defineAgent, defineTool } from 'holdpoint'

const DIFFS = {
  'src/refund.ts': ${JSON.stringify(DIFF)},
  'NOTES.md': '@@ -1 +1 @@\\n-const one\\n+const two and more\\n',
  'big.ts': '@@ -0,0 +1,2500 @@\\n' + '+const one = 1\\n'.repeat(2500),
}
const patch = defineTool({
  name: 'apply_patch',
  description: 'Change files',
  inputSchema: { type: 'object', properties: { files: { type: 'array', items: { type: 'string' } } }, required: ['files'] },
  preview: ({ files }) => ({
    parts: files.map(title => ({ type: 'diff', title, diff: DIFFS[title], added: 1, removed: 1 })),
  }),
  execute: () => 'done',
})

export default defineAgent({ name: 'coder', instructions: 'Help.', model: 'script:script.json', tools: [patch] })
`

describe.skipIf(!HAS_CHROMIUM)('code on the page', () => {
  let browser: Browser
  let scene: Scene
  let cards: Readonly<Record<string, string>>
  beforeAll(async () => {
    browser = await aBrowser()
    const call = (id: string, ...files: string[]) => ({ id, name: 'apply_patch', args: { files } })
    const text = 'It is\n\n```sql\nSELECT 1 FROM refunds\n```'
    const project = await aProject({
      script: [{ text, calls: [call('code', 'src/refund.ts'), call('other', 'NOTES.md', 'big.ts')] }, 'Done.'],
      policy: { default: 'prompt' },
      files: { '.holdpoint/agents/coder.ts': AGENT },
    })
    await project.holdpoint('trust', '--yes')
    scene = await sceneOf(project)
    await scene.server.send('/v1/threads', { body: { input: 'go', agent: 'coder' } })
    cards = Object.fromEntries((await scene.holds(2)).map(hold => [hold.call_id, hold.id]))
  })
  afterAll(async () => {
    await browser?.close()
    await scene?.[Symbol.asyncDispose]()
  })

  const keyword = (page: Page, word: string) => page.locator('.text-code-keyword').getByText(word, { exact: true })

  test.each(['light', 'dark'] as const)(
    'P9: has colours that lose to marks and change no text (%s)',
    async colorScheme => {
      const page = await signedIn(browser, scene.url, { colorScheme, path: `/holds/${cards['code']}` })
      await keyword(page, 'import').waitFor()
      await keyword(page, 'SELECT').waitFor()
      const diff = page.getByRole('figure').filter({ hasText: 'src/refund.ts' })
      for (const line of DIFF.trimEnd().split('\n')) expect(await diff.locator('pre').textContent()).toContain(line)
      expect(await diff.getByTitle('It only looks like another letter').allInnerTexts()).toEqual(['\u0430'])
      expect(await diff.locator('.underline.text-good').allInnerTexts()).toEqual(['35'])
      expect(await diff.locator('.underline [class*=text-code], [class*=text-code] .underline').count()).toBe(0)
      expect(await axeFaults(page)).toEqual([])
      expect(faultsOf(page)).toEqual([])
    },
  )

  test('has none where no language is known, or where it is too long', async () => {
    const page = await signedIn(browser, scene.url, { ...PHONE, path: `/holds/${cards['other']}` })
    await keyword(page, 'SELECT').waitFor()
    await page.getByText('+const two and more').waitFor()
    const diffs = page.getByRole('figure').filter({ hasText: /NOTES\.md|big\.ts/ })
    expect(await diffs.count()).toBe(2)
    expect(await diffs.locator('[class*=text-code]').count()).toBe(0)
  })

  test('is readable without the highlighter, which no other page loads', async () => {
    const page = await signedIn(browser, scene.url)
    const asked: string[] = []
    page.on('request', request => request.url().includes('highlight') && asked.push(request.url()))
    await page.route('**/highlight-*.js', route => route.abort())
    await page.goto(`${scene.url}/agents`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect(asked).toEqual([])
    await page.goto(`${scene.url}/holds/${cards['code']}`)
    await page.getByText("import { pay } from './pay.ts'").waitFor()
    await expect.poll(() => asked.length).toBeGreaterThan(0)
    await page
      .getByRole('button', { name: /^Approve/ })
      .first()
      .waitFor()
    expect(await page.locator('[class*=text-code]').count()).toBe(0)
    expect(faultsOf(page)).toEqual([])
  })
})
