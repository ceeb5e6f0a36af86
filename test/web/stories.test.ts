import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { command, effect } from '../scenarios/project.ts'
import { axeFaults } from './axe.ts'
import { aBrowser, aScene, DESKTOP, faultsOf, HAS_CHROMIUM, PHONE, signedIn } from './scene.ts'

const policy = { default: 'prompt' }

async function openHold(page: Page, words: string): Promise<void> {
  await page
    .getByRole('list', { name: 'Holds' })
    .getByRole('link', { name: new RegExp(words) })
    .click()
  await page.getByRole('heading', { name: 'History' }).waitFor()
}

async function approve(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Approve', exact: true }).click()
}

describe.skipIf(!HAS_CHROMIUM)('the inbox', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await aBrowser()
  })
  afterAll(async () => {
    await browser?.close()
  })

  test('P2: of three holds of one answer one is approved, one rejected and one edited, without a reload', async () => {
    const calls = [effect('tc_1', 'one'), effect('tc_2', 'two'), effect('tc_3', 'three')]
    await using scene = await aScene({ script: [{ text: 'All three.', calls }, 'Done.'], policy })
    const { run_id } = await scene.start()
    await scene.holds(3)
    const page = await signedIn(browser, scene.url, PHONE)
    const back = () => page.getByRole('link', { name: 'Back to the inbox' }).click()

    await openHold(page, 'echo one')
    await page.getByText('All three.').waitFor()
    await approve(page)
    await page.getByText('You approved it').waitFor()
    await back()

    await openHold(page, 'echo two')
    await page.getByRole('button', { name: 'Reject…' }).click()
    await page.getByLabel('Why? The agent reads it.').fill('not today')
    await page.getByRole('button', { name: 'Reject', exact: true }).click()
    await page.getByText('You rejected it').waitFor()
    await page.getByText('“not today”').waitFor()
    await back()

    await openHold(page, 'echo three')
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('command', { exact: true }).fill('echo four >> effects.log')
    await page.getByRole('button', { name: 'Approve with these changes' }).click()
    await page.getByText('You approved it with changes').waitFor()

    await expect.poll(async () => (await scene.server.send(`/v1/runs/${run_id}`)).json.status).toBe('done')
    expect(await scene.project.effects()).toEqual(['one', 'four'])
    expect(faultsOf(page)).toEqual([])
  })

  test('P2: decided in a shell, the card says who was first, and a reason that was begun can be copied', async () => {
    await using scene = await aScene({ script: [{ calls: [effect('tc_1', 'one')] }, 'Done.'], policy })
    await scene.start()
    const [hold] = await scene.holds(1)
    const [here, there] = [await signedIn(browser, scene.url), await signedIn(browser, scene.url)]
    await openHold(here, 'echo one')
    await there.goto(`${scene.url}/holds/${hold.id}`)
    await here.getByRole('button', { name: 'Reject…' }).click()
    await here.getByLabel('Why? The agent reads it.').fill('I was about to say')
    await scene.project.holdpoint('approve', hold.id)
    for (const page of [here, there]) await page.getByText('You approved it').waitFor()
    expect(await here.getByLabel('What you were writing').inputValue()).toBe('I was about to say')
    expect(await here.getByRole('button', { name: 'Approve', exact: true }).count()).toBe(0)
    await here.keyboard.press('a')
    expect(await here.getByRole('dialog').count()).toBe(0)
  })

  test('P2: a decision whose answer was lost is sent again and counts once; without a network nothing is sent', async () => {
    await using scene = await aScene({ script: [{ calls: [effect('tc_1', 'one')] }, 'Done.'], policy })
    const { run_id } = await scene.start()
    await scene.holds(1)
    const page = await signedIn(browser, scene.url)
    await openHold(page, 'echo one')
    await page.context().setOffline(true)
    await page.getByText('The server cannot be reached.').first().waitFor()
    expect(await page.getByRole('button', { name: 'Waits for the network' }).isDisabled()).toBe(true)
    await page.context().setOffline(false)
    await page.getByRole('button', { name: 'Approve', exact: true }).waitFor()

    // The server records it, and its answer is cut.
    await page.route('**/decisions', async route => {
      await route.fetch()
      await route.abort()
    })
    await approve(page)
    await expect.poll(async () => (await scene.server.send(`/v1/runs/${run_id}`)).json.status).toBe('done')
    await page.unroute('**/decisions')
    await page.getByText('You approved it').waitFor()
    const { json } = await scene.server.send('/v1/audit?limit=500')
    expect(
      json.records.filter((each: { record: { kind: string } }) => each.record.kind === 'hold.decided'),
    ).toHaveLength(1)
    expect(await scene.project.effects()).toEqual(['one'])
  })

  test('P9: what would hide is shown, nothing of it runs, and no key decides before the end was in view', async () => {
    const text = [
      'pay \u202e001\u202c \u200bnow \u001b[31mred',
      '<img src=x onerror="document.title=1"><script>document.title=1</script>',
      ...Array.from({ length: 10_000 }, (_, line) => `line ${line} ${'x'.repeat(190)}`),
    ].join('\n')
    const calls = [{ id: 'tc_1', name: 'write_file', args: { path: 'a.txt', content: text } }]
    await using scene = await aScene({ script: [{ calls }, 'Done.'], policy })
    await scene.start()
    await scene.holds(1)
    const page = await signedIn(browser, scene.url)
    await openHold(page, 'write_file')
    const shown = (await page.getByRole('article').textContent()) ?? ''
    expect(shown).toContain('pay \\u{202e}001\\u{202c} \\u{200b}now \\u{1b}[31mred')
    expect(shown).toContain('<script>document.title=1</script>')
    expect(shown).toContain('line 9999')
    const cut = await page.getByRole('article').evaluate(card => {
      const { parentElement: box } = card as unknown as { parentElement: { scrollWidth: number; clientWidth: number } }
      return box.scrollWidth - box.clientWidth
    })
    expect(cut).toBe(0)
    expect(await page.title()).toBe('(1) Holdpoint')
    await page.waitForTimeout(400)
    await page.keyboard.press('a')
    await page.getByText('The end was not in view yet').waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)
    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    await page.getByText('You have not seen the end').waitFor()
    expect(faultsOf(page)).toEqual([])
  })

  test('P9: a preview that could not be made says so, and the arguments are there in full', async () => {
    const args = { path: 'gone.txt', old_text: 'a'.repeat(200), new_text: 'b' }
    await using scene = await aScene({
      script: [{ calls: [{ id: 'tc_1', name: 'edit_file', args }] }, 'Done.'],
      policy,
    })
    await scene.start()
    const [{ id }] = await scene.holds(1)
    const page = await signedIn(browser, scene.url, { path: `/holds/${id}` })
    await page.getByText(/^There is no preview: /).waitFor()
    await page.getByText(args.old_text).waitFor()
    expect(faultsOf(page)).toEqual([])
  })

  test('P8: with keys alone a person goes from the sign-in to the last decision', async () => {
    const calls = [effect('tc_1', 'one'), effect('tc_2', 'two')]
    await using scene = await aScene({ script: [{ calls }, 'Done.'], policy })
    const { run_id } = await scene.start()
    await scene.holds(2)
    const page = await signedIn(browser, scene.url)
    await page.getByRole('link', { name: /echo one/ }).waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'History' }).waitFor()
    await page.waitForTimeout(400)
    await page.keyboard.press('a')
    await page.getByText('You approved it').waitFor()
    await page.keyboard.press('j')
    const shown = page.getByRole('region', { name: 'The hold' })
    await shown.getByText('echo two >> effects.log', { exact: true }).waitFor()
    await page.waitForTimeout(400)
    await page.keyboard.press('r')
    await page.keyboard.type('a no with the letter a in it')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByText('You rejected it').waitFor()
    await expect.poll(async () => (await scene.server.send(`/v1/runs/${run_id}`)).json.status).toBe('done')
    expect(await scene.project.effects()).toEqual(['one'])
  })

  test('P6: to allow for good, a person sees what a pattern would have let pass, and says yes once more', async () => {
    const calls = [command('tc_1', 'echo one'), command('tc_2', 'echo two')]
    await using scene = await aScene({ script: [{ calls }, 'Done.'], policy })
    const { run_id } = await scene.start()
    const held = await scene.holds(2)
    await scene.server.send(`/v1/holds/${held[0].id}/decisions`, { body: { verdict: 'approve' } })
    const page = await signedIn(browser, scene.url, { path: `/holds/${held[1].id}` })
    await page.getByRole('button', { name: 'More choices' }).click()
    await page.getByRole('button', { name: 'Always allow…' }).click()
    await page.getByLabel('With arguments that fit a pattern').check()
    await page.getByRole('textbox', { name: 'command', exact: true }).fill('echo *')
    await page.getByText(/It would have let pass \d of the last \d/).waitFor()
    const dialog = page.getByRole('dialog', { name: /^Always allow/ })
    const allow = async () => {
      await dialog.getByRole('button', { name: 'Approve, and always allow' }).click()
      await page.getByRole('button', { name: 'Yes, approve it' }).click()
    }
    // What the server refuses is told where it can be mended, and what was filled in stays.
    await page.getByRole('textbox', { name: 'command', exact: true }).fill('git *')
    await allow()
    await dialog.getByRole('alert').getByText('does not cover this call itself').waitFor()
    await page.getByRole('textbox', { name: 'command', exact: true }).fill('echo *')
    await allow()
    await page.getByText('You approved it').waitFor()
    await expect.poll(async () => (await scene.server.send(`/v1/runs/${run_id}`)).json.status).toBe('done')
    expect((await scene.server.send('/v1/grants')).json.grants).toMatchObject([
      { tool: 'run_command', match: { command: 'echo *' }, granted_by: 'ana' },
    ])
  })

  test('a question is answered by one of its choices, and another in words', async () => {
    const asks = [
      { id: 'tc_1', name: 'ask_human', args: { question: 'Which region?', choices: ['north', 'south'] } },
      { id: 'tc_2', name: 'ask_human', args: { question: 'What is the reason?' } },
    ]
    await using scene = await aScene({ script: [{ calls: asks }, 'Done.'], policy })
    const { run_id } = await scene.start()
    await scene.holds(2)
    const page = await signedIn(browser, scene.url)
    await openHold(page, 'Which region')
    await page.getByRole('button', { name: 'south' }).click()
    await page.getByText('You answered').waitFor()
    await openHold(page, 'What is the reason')
    await page.getByLabel('Your answer').fill('Because of the customers')
    await page.reload()
    expect(await page.getByLabel('Your answer').inputValue()).toBe('Because of the customers')
    await page.getByRole('button', { name: 'Send the answer' }).click()
    await page.getByText('You answered').waitFor()
    await expect.poll(async () => (await scene.server.send(`/v1/runs/${run_id}`)).json.status).toBe('done')
  })

  test('a deadline that passes while the card is open is told, and no key decides any more', async () => {
    const config = { due: { seconds: 6, on_due: 'reject' } }
    await using scene = await aScene({ script: [{ calls: [effect('tc_1', 'one')] }, 'Done.'], policy, config })
    await scene.start()
    await scene.holds(1)
    const page = await signedIn(browser, scene.url)
    await openHold(page, 'echo one')
    await page.getByText('It expired before anybody decided').waitFor()
    await page.keyboard.press('a')
    expect(await page.getByRole('dialog').count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Approve', exact: true }).count()).toBe(0)
  })

  test('of two who must approve, the first is told how many are missing, and the second lets it run', async () => {
    const config = { deciders: { people: ['ana', 'ben'], quorum: 2 } }
    await using scene = await aScene({ script: [{ calls: [effect('tc_1', 'one')] }, 'Done.'], policy, config })
    await scene.start()
    await scene.holds(1)
    const ben = (await scene.project.holdpoint('tokens', 'add', 'ben', '--role', 'decider')).stdout.trim()
    const [first, second] = [await signedIn(browser, scene.url), await signedIn(browser, scene.url, { token: ben })]
    for (const page of [first, second]) await openHold(page, 'echo one')
    await approve(first)
    await first.getByText('It is 1 of 2: 1 more person has to approve.').waitFor()
    for (const untrue of ['You may not approve this.', 'This changed while you had it open.'])
      for (const page of [first, second]) expect(await page.getByText(untrue).count()).toBe(0)
    await approve(second)
    for (const page of [first, second]) await page.getByText(/It is done after/).waitFor()
    expect(await scene.project.effects()).toEqual(['one'])
  })

  test('the card of an approved command lives on: its output while it runs, its end, and what else the run did', async () => {
    const script = [
      { calls: [command('tc_0', 'echo before >> effects.log')] },
      { calls: [command('tc_1', 'echo half; until [ -e go ]; do sleep 0.05; done; echo rest; exit 3')] },
      'It broke off.',
    ]
    await using scene = await aScene({ script, policy })
    await scene.start()
    const [first] = await scene.holds(1)
    await scene.server.send(`/v1/holds/${first.id}/decisions`, { body: { verdict: 'approve' } })
    const page = await signedIn(browser, scene.url)
    // The page follows the run from before the decision on.
    const follows = page.waitForResponse(/\/v1\/threads\/\w+\/events/)
    await openHold(page, 'echo half')
    await follows
    await approve(page)
    await page.getByText('It is running.').waitFor()
    await page.getByText('half', { exact: true }).waitFor()
    await scene.project.write('go', '')
    await page.getByText(/It failed after \d+ s with exit 3\./).waitFor()
    await page.getByText('It broke off.').waitFor()
    await page.getByText(/^half\s+rest\s*$/).waitFor()
    await page.getByText('What else this run did').click()
    await page.getByRole('listitem').filter({ hasText: 'echo before' }).getByText('done').waitFor()
    expect(await axeFaults(page)).toEqual([])
    await page.getByRole('link', { name: 'The run over time' }).click()
    await page.waitForURL('**/runs/*')
    expect(faultsOf(page)).toEqual([])
  })

  test('a viewer sees everything, and is told why nothing is theirs to decide', async () => {
    await using scene = await aScene({ script: [{ calls: [effect('tc_1', 'one')] }, 'Done.'], policy })
    await scene.start()
    await scene.holds(1)
    const added = await scene.project.holdpoint('tokens', 'add', 'vera', '--role', 'viewer')
    const page = await signedIn(browser, scene.url, { token: added.stdout.trim() })
    await page.getByText('not yours').waitFor()
    await openHold(page, 'echo one')
    await page.getByText('You may not approve this.').waitFor()
    expect(await page.getByRole('button', { name: 'Approve', exact: true }).count()).toBe(0)
  })

  test.each([
    ['phone, light', { ...PHONE, colorScheme: 'light' as const }],
    ['phone, dark', { ...PHONE, colorScheme: 'dark' as const }],
    ['desktop, light', { ...DESKTOP, colorScheme: 'light' as const }],
    ['desktop, dark', { ...DESKTOP, colorScheme: 'dark' as const }],
  ])(
    'axe finds nothing in the list, a hold, its form, a reason, each dialog and a question (%s)',
    async (_, context) => {
      const calls = [
        command('tc_1', 'rm -f gone; echo one'),
        { id: 'tc_2', name: 'ask_human', args: { question: 'Which region?', choices: ['north', 'south'] } },
      ]
      await using scene = await aScene({ script: [{ text: 'Now.', calls }, 'Done.'], policy })
      await scene.start()
      const holds = await scene.holds(2)
      const page = await signedIn(browser, scene.url, context)
      await page.getByRole('link', { name: /echo one/ }).waitFor()
      const faults = [await axeFaults(page)]
      const look = async () => faults.push(await axeFaults(page))
      await openHold(page, 'echo one')
      await look()
      await page.getByRole('button', { name: 'Edit' }).click()
      await look()
      await page.getByRole('button', { name: 'Back' }).click()
      await page.getByRole('button', { name: 'Reject…' }).click()
      await look()
      await page.getByRole('button', { name: 'Back' }).click()
      await page.getByRole('button', { name: 'Approve', exact: true }).click()
      await look()
      await page.getByRole('button', { name: 'Back' }).click()
      for (const name of ['Always allow…', 'Ask another person…', 'Cancel the call or the run…']) {
        await page.getByRole('button', { name: 'More choices' }).click()
        await look()
        await page.getByRole('button', { name }).click()
        await look()
        await page.getByRole('dialog').getByRole('button', { name: 'Back' }).click()
      }
      await page.keyboard.press('?')
      await page.getByRole('dialog', { name: 'Keys' }).waitFor()
      await look()
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
      const question = holds.find(({ kind }) => kind === 'question')
      await page.goto(`${scene.url}/holds/${question.id}`)
      await page.getByText('Choose the answer').waitFor()
      await look()
      expect(faults.flat()).toEqual([])
    },
  )
})
