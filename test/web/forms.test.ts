import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { command } from '../scenarios/project.ts'
import { axeFaults } from './axe.ts'
import { EVERY_FIELD } from './corpus/hard-calls.ts'
import { aBrowser, aScene, faultsOf, HAS_CHROMIUM, PHONE, type Scene, signedIn } from './scene.ts'

/** A question whose answer fits a schema, in a run of its own. */
async function asking(schema: object): Promise<Scene> {
  const calls = [{ id: 'tc_1', name: 'ask_human', args: { question: 'What shall I write down?', schema } }]
  const scene = await aScene({ script: [{ calls }, 'Done.'], policy: { default: 'prompt' } })
  await scene.start()
  return scene
}

async function opened(browser: Browser, scene: Scene, context: object = {}): Promise<Page> {
  const [hold] = await scene.holds(1)
  const page = await signedIn(browser, scene.url, { path: `/holds/${hold.id}`, ...context })
  await page.getByRole('heading', { name: 'History' }).waitFor()
  return page
}

/** The label of the control that has the focus. */
async function focusedLabel(page: Page): Promise<unknown> {
  return page.evaluate('document.activeElement.labels?.[0]?.textContent')
}

async function answerOf(scene: Scene): Promise<unknown> {
  const { json } = await scene.server.send('/v1/holds?status=decided')
  return json.holds[0].decision.value
}

describe.skipIf(!HAS_CHROMIUM)('forms', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await aBrowser()
  })
  afterAll(async () => {
    await browser?.close()
  })

  test('on a phone the button that sends is in view at once, and comes before the one that declines', async () => {
    await using scene = await asking(EVERY_FIELD)
    const page = await opened(browser, scene, { ...PHONE, viewport: { width: 360, height: 640 } })
    const send = page.getByRole('button', { name: 'Send the answer' })
    const decline = page.getByRole('button', { name: 'Decline…' })
    const [first, second] = [await send.boundingBox(), await decline.boundingBox()]
    expect((first?.y ?? 0) + (first?.height ?? 0)).toBeLessThanOrEqual(640)
    expect(first?.y).toBeLessThan(second?.y ?? 0)
    expect(await axeFaults(page)).toEqual([])
  })

  test('each kind of field gives the value that its schema asks for, and Ctrl+Enter sends it', async () => {
    await using scene = await asking(EVERY_FIELD)
    const page = await opened(browser, scene, { timezoneId: 'Asia/Kolkata' })
    const field = (name: string) => page.getByLabel(name, { exact: true })
    expect(await field('Name').inputValue()).toBe('shop')
    await field('Mail address').fill('ana@example.com')
    await field('Page (may be left out)').fill('https://shop.example/a')
    await field('Due').fill('2026-12-24')
    await field('At (may be left out)').fill('14:05')
    await field('Begins (may be left out)').fill('2026-12-24T10:30')
    await field('north').check()
    await field('east').check()
    await page.getByRole('button', { name: 'Add to Tags' }).click()
    await field('Tags 1').fill('7')
    await page.getByRole('button', { name: 'Add to Tags' }).click()
    await field('Tags 2').fill('two')
    await page.getByRole('button', { name: 'Add to Tags' }).click()
    await page.getByRole('button', { name: 'Add to Limits' }).click()
    await field('Name 1').fill('a key')
    await field('Limits 1').fill('12')
    await field('Amount (may be left out)').fill('1.50')
    await field('Anything else (may be left out)').fill('{"exact": "12345678901234567890"}')
    await field('hours').press('Control+Enter')
    await page.getByText('You answered').waitFor()
    expect(await answerOf(scene)).toEqual({
      ...{ name: 'shop', email: 'ana@example.com', page: 'https://shop.example/a', due: '2026-12-24' },
      ...{ at: '14:05:00+05:30', begins: '2026-12-24T10:30:00+05:30', places: ['north', 'east'] },
      ...{ tags: ['7', 'two'], limits: { 'a key': 12 }, window: { hours: 2 }, sure: true, amount: 1.5 },
      more: { exact: '12345678901234567890' },
    })
    expect(faultsOf(page)).toEqual([])
  })

  test('what does not fit is told at its field, which gets the focus, and the rest stays as it was written', async () => {
    await using scene = await asking(EVERY_FIELD)
    const page = await opened(browser, scene, PHONE)
    const mail = page.getByLabel('Mail address', { exact: true })
    await page.getByLabel('Amount (may be left out)').fill('1e400')
    await page.getByText('This number cannot be kept exactly.').waitFor()
    const send = page.getByRole('button', { name: 'Send the answer' })
    await send.click()
    await expect.poll(() => focusedLabel(page)).toBe('Amount (may be left out)')
    await page.getByLabel('Amount (may be left out)').fill('2')
    await mail.fill('nobody')
    await send.click()
    await page
      .getByText(
        /^Nothing was recorded: .*\bPlaces\b.*\bMail address\b|^Nothing was recorded: .*\bMail address\b.*\bPlaces\b/,
      )
      .waitFor()
    await page.getByRole('alert').getByText('must have the format email').waitFor()
    await page.getByRole('group', { name: 'Places' }).getByText('is required').waitFor()
    await expect.poll(() => focusedLabel(page)).toBe('Mail address')
    expect(await page.getByLabel('Amount (may be left out)').inputValue()).toBe('2')
    await mail.fill('ana@example.com')
    expect(await page.getByText('must have the format email').count()).toBe(0)
    await page.getByLabel('south').check()
    await page.getByLabel('Due', { exact: true }).fill('2026-12-24')
    await send.click()
    await page.getByText('You answered').waitFor()
    expect(await answerOf(scene)).toMatchObject({ email: 'ana@example.com', amount: 2, places: ['south'] })
  })

  test('an answer that is a list, and no object, has its field too', async () => {
    await using scene = await asking({ type: 'array', items: { enum: ['red', 'green', 'blue'] }, minItems: 1 })
    const page = await opened(browser, scene)
    await page.getByRole('group', { name: 'Your answer' }).getByLabel('blue').check()
    await page.getByRole('button', { name: 'Send the answer' }).click()
    await page.getByText('You answered').waitFor()
    expect(await answerOf(scene)).toEqual(['blue'])
  })

  test('Ctrl+Enter sends an answer, a reason, and changed arguments', async () => {
    const calls = [
      { id: 'tc_1', name: 'ask_human', args: { question: 'Why?' } },
      command('tc_2', 'echo two'),
      command('tc_3', 'echo three'),
    ]
    await using scene = await aScene({ script: [{ calls }, 'Done.'], policy: { default: 'prompt' } })
    await scene.start()
    const holds = await scene.holds(3)
    const page = await signedIn(browser, scene.url)
    const open = async (call: string) => {
      await page.goto(`${scene.url}/holds/${holds.find(({ call_id }) => call_id === call).id}`)
      await page.getByRole('heading', { name: 'History' }).waitFor()
    }
    await open('tc_1')
    await page.getByLabel('Your answer').fill('Because\nof it')
    await page.getByLabel('Your answer').press('Control+Enter')
    await page.getByText('You answered').waitFor()
    await open('tc_2')
    await page.getByRole('button', { name: 'Reject…' }).click()
    await page.getByLabel('Why? The agent reads it.').fill('no')
    await page.getByLabel('Why? The agent reads it.').press('Control+Enter')
    await page.getByText('You rejected it').waitFor()
    await open('tc_3')
    await page.getByRole('button', { name: 'Edit' }).click()
    const line = page.getByLabel('command', { exact: true })
    await line.fill('echo four')
    await line.press('Enter')
    expect(await page.getByRole('dialog').count()).toBe(0)
    await line.press('Control+Enter')
    await page.getByText('You approved it with changes').waitFor()
  })

  test('P3: the result of a call in doubt is written as text, or as JSON', async () => {
    const deadly = 'echo applied >> effects.log; if [ -e deadly ]; then rm deadly; kill -9 $PPID; fi'
    await using scene = await aScene(
      { script: [{ calls: [command('tc_1', deadly)] }, 'Done.'], files: { deadly: '' }, policy: { default: 'auto' } },
      '--no-work',
    )
    await scene.project.holdpoint('-a', '-o', 'json', 'go')
    const [run] = (await scene.project.holdpoint('runs', '--json')).json
    await scene.project.holdpoint('-c', run.run_id, '-o', 'json')
    const page = await opened(browser, scene)
    await page.getByRole('button', { name: 'It happened…' }).click()
    expect(await page.getByRole('button', { name: 'Run it again…' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Write it as JSON' }).click()
    await page.getByLabel('It happened: the result of the call').fill('{"exit": 0}')
    await page.getByRole('button', { name: 'Write it as text' }).click()
    await page.getByLabel('It happened: the result of the call').fill('It was applied once.')
    await page.getByRole('button', { name: 'Send the answer' }).click()
    await page.getByText('You answered').waitFor()
    expect(await answerOf(scene)).toBe('It was applied once.')
  })
})
