/** What the approval bar shows of a hold in a small terminal, and which keys count at it. */
import { describe, expect, test } from 'vitest'
import { aProject, effect, type Project } from '../project.ts'
import { aChat, type ChatTerminal } from './chat-terminal.ts'
import { HAS_TERMINAL } from './pseudo-terminal.ts'

const ASKS = { default: 'prompt' }
const TAB = '\t'
const ENTER = '\r'
const DELETES = { id: 'tc_1', name: 'run_command', args: { command: 'rm -f gone.txt; echo one >> effects.log' } }

const BEFORE = `# Prices

| plan | month | year |
| ---- | ----- | ---- |
| one  | 10    | 100  |
| two  | 20    | 200  |
| five | 50    | 500  |

Prices are without tax.
`
const ROWS = ['| one  | 10    | 100  |', '| two  | 20    | 200  |', '| five | 50    | 500  |']
const NEW_ROWS = ['| one  | 11    | 110  |', '| two  | 22    | 220  |', '| five | 55    | 550  |']
const EDIT = {
  id: 'tc_1',
  name: 'edit_file',
  args: { path: 'prices.md', old_text: ROWS.join('\n'), new_text: NEW_ROWS.join('\n') },
}

/** At the bar, with the first call of the script on it. */
async function atBar(project: Project, shown: string): Promise<ChatTerminal> {
  const chat = await aChat(project)
  chat.type(`go${ENTER}`)
  await chat.shows('Tab to decide')
  await chat.press(TAB)
  await chat.shows(shown)
  return chat
}

/** The screen alone, without what scrolled away. */
function rowsOf(chat: ChatTerminal): string[] {
  return chat.screen().trimEnd().split('\n').slice(-24)
}

describe.skipIf(!HAS_TERMINAL)('the approval bar', () => {
  test('at 80x24 a change of six lines with its context is whole, below its act, and one key approves it', async () => {
    await using project = await aProject({
      script: [{ calls: [EDIT] }, 'Done.'],
      policy: ASKS,
      files: { 'prices.md': BEFORE },
    })
    await using chat = await atBar(project, 'a approve')
    const rows = rowsOf(chat)
    const at = (text: string) => rows.findIndex(row => row.includes(text))
    expect(rows[at('Edit prices.md') - 1]).toMatch(/^─ 1 waits · edit_file · rule: default: prompt ─$/)
    expect(at('prices.md: +3 -3')).toBe(at('Edit prices.md') + 2)
    for (const text of [
      ...ROWS.map(row => `-${row}`),
      ...NEW_ROWS.map(row => `+${row}`),
      '| ---- | -----',
      'Prices are without tax.',
    ])
      expect(at(text)).toBeGreaterThan(0)
    expect(rows[at('a approve')]).toContain('↓ arguments')
    await chat.press('a')
    await chat.shows('Done.')
    expect(await project.read('prices.md')).toBe(BEFORE.replace(ROWS.join('\n'), NEW_ROWS.join('\n')))
  })

  test('P9: the arguments of a change are in full below it', async () => {
    await using project = await aProject({
      script: [{ calls: [EDIT] }, 'Done.'],
      policy: ASKS,
      files: { 'prices.md': BEFORE },
    })
    await using chat = await atBar(project, 'a approve')
    await chat.press(...Array.from({ length: 8 }, () => '\u001b[B'))
    await chat.shows('new_text:')
    expect(chat.screen()).toContain('path: prices.md')
  })

  test('P1: a write that is all keys of one decision decides, and Tab together with them decides nothing', async () => {
    await using project = await aProject({ script: [{ calls: [DELETES] }, 'Done.'], policy: ASKS })
    await using chat = await aChat(project)
    chat.type(`go${ENTER}`)
    await chat.shows('Tab to decide')
    await chat.press(`${TAB}ayes`)
    await chat.shows('Nothing was decided')
    expect(await project.effects()).toEqual([])
    await chat.press('\u001b', TAB, 'ayes')
    await chat.shows('Done.')
    expect(await project.effects()).toEqual(['one'])
  })

  test.each([
    ['pasted code that begins with the letter of an approval', 'apt install x'],
    ['a whole approval with more behind it', 'ayes then'],
    ['an approval behind other letters', 'xa'],
    ['a rejection with more behind its end', 'rno\rayes'],
  ])('P1: %s decides nothing', async (_what, keys) => {
    await using project = await aProject({ script: [{ calls: [DELETES] }, 'Done.'], policy: ASKS })
    await using chat = await atBar(project, 'a approve')
    await chat.press(keys)
    await chat.press('\u001b')
    expect((await project.holdpoint('holds', '--json')).json).toHaveLength(1)
    expect(await project.effects()).toEqual([])
  })

  test('a rejection with its reason may come in one write', async () => {
    await using project = await aProject({ script: [{ calls: [effect('tc_1', 'one')] }, 'Done.'], policy: ASKS })
    await using chat = await atBar(project, 'a approve')
    await chat.press(`rNot on a Friday${ENTER}`)
    await chat.shows('tc_1 rejected by you (Not on a Friday)')
    expect(await project.effects()).toEqual([])
  })

  test('a word that ends in two equal letters can be typed fast', async () => {
    await using project = await aProject({
      script: [
        { calls: [{ id: 'tc_1', name: 'run_command', args: { command: 'echo one >> effects.log; ls coffee' } }] },
        'Done.',
      ],
      policy: { tools: { run_command: 'never' } },
    })
    await using chat = await aChat(project)
    chat.type(`go${ENTER}`)
    await chat.shows('Tab to decide')
    await chat.press(TAB)
    await chat.press('a')
    await chat.shows('Type coffee to let it run')
    await chat.press('coff')
    chat.type('e')
    chat.type('e')
    await chat.shows('Done.')
    expect(await project.effects()).toEqual(['one'])
  })
})
