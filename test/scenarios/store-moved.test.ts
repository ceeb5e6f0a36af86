import { expect, test } from 'vitest'
import { aProject, effect } from './project.ts'

test('who looks at a store that moved, or has it examined, is told where it went', async () => {
  await using project = await aProject({
    script: [{ calls: [effect('tc_1', 'one')] }, 'Done.'],
    policy: { tools: { run_command: 'prompt' } },
  })
  const { json } = await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
  const other = `sqlite:${project.path('other.db')}`
  const file = `sqlite:${project.path('.holdpoint/holdpoint.db')}`
  expect(await project.holdpoint('store', 'copy', file, other)).toMatchObject({ exit: 0 })

  const moved = `moved to ${other}, so nothing is written to it any more`
  const looks = [['holds'], ['runs'], ['threads', 'list'], ['tasks'], ['agents'], ['show', json.run_id]]
  for (const words of looks) {
    const looked = await project.holdpoint(...words)
    expect(looked, words.join(' ')).toMatchObject({ exit: 0, stderr: expect.stringContaining(moved) })
    expect((await project.holdpoint(...words, '--json')).stderr, words.join(' ')).toBe('')
    expect((await project.holdpoint(...words, '--store', other)).stderr, words.join(' ')).toBe('')
  }
  const { checks } = (await project.holdpoint('doctor', '--offline', '--json')).json
  expect(checks).toContainEqual(
    expect.objectContaining({ check: 'store', status: 'warn', message: expect.stringContaining(moved) }),
  )
})
