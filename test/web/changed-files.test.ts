import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aProject } from '../scenarios/project.ts'
import { axeFaults } from './axe.ts'
import { aBrowser, faultsOf, HAS_CHROMIUM, PHONE, sceneOf, signedIn } from './scene.ts'

/** Its tool changes these files, 60 lines each. */
const FILES = ['src/core/price.ts', 'src/core/order.ts', 'src/web/cart.tsx', 'README.md']
const AGENT = `import { defineAgent, defineTool } from 'holdpoint'

const patch = defineTool({
  name: 'apply_patch',
  description: 'Change files',
  inputSchema: { type: 'object', properties: {} },
  preview: () => ({
    parts: ${JSON.stringify(FILES)}.map(title => ({
      type: 'diff',
      title,
      diff: '@@ -1,60 +1,60 @@\\n' + Array.from({ length: 60 }, (_, line) => '-was ' + line + ' of ' + title + '\\n+is ' + line + ' of ' + title + '\\n').join(''),
      added: 60,
      removed: 60,
    })),
  }),
  execute: () => 'done',
})

export default defineAgent({ name: 'coder', instructions: 'Help.', model: 'script:script.json', tools: [patch] })
`

describe.skipIf(!HAS_CHROMIUM)('a change of many files', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await aBrowser()
  })
  afterAll(async () => {
    await browser?.close()
  })

  test('P9: begins with a tree of its files that leads to each, and shows all of each below', async () => {
    const project = await aProject({
      script: [{ calls: [{ id: 'tc_1', name: 'apply_patch', args: {} }] }, 'Done.'],
      policy: { default: 'prompt' },
      files: { '.holdpoint/agents/coder.ts': AGENT },
    })
    await project.holdpoint('trust', '--yes')
    await using scene = await sceneOf(project)
    await scene.server.send('/v1/threads', { body: { input: 'go', agent: 'coder' } })
    const [{ id }] = await scene.holds(1)
    const page = await signedIn(browser, scene.url, { ...PHONE, path: `/holds/${id}` })
    const tree = page.getByRole('navigation', { name: 'Files that change' })
    await tree.getByText('src/').waitFor()
    expect(await tree.getByRole('button').allInnerTexts()).toEqual(
      ['price.ts', 'order.ts', 'cart.tsx', 'README.md'].map(name => expect.stringMatching(`${name}\\s+\\+60 −60`)),
    )
    expect(await axeFaults(page)).toEqual([])
    const last = page.getByText('is 0 of README.md')
    const isInView = () =>
      last.evaluate(element => {
        const { top } = (element as { getBoundingClientRect(): { top: number } }).getBoundingClientRect()
        return top > 0 && top < 844
      })
    expect(await isInView()).toBe(false)
    await tree.getByRole('button', { name: /README/ }).click()
    await expect.poll(isInView).toBe(true)
    for (const file of FILES) expect(await page.getByText(` of ${file}`).count()).toBe(120)
    expect(faultsOf(page)).toEqual([])
  })
})
