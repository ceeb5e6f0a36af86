/** People see what a call would change before they decide, and an approval is of what they saw. */
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { AgentOptions, Holdpoint, OpenOptions } from '../../src/index.ts'
import { aProject, command } from './project.ts'
import { advanced, ana, aWorkplace, call, onlyHold, openHold, results, started, type Workplace } from './workplace.ts'

type Details = Parameters<Workplace['held']>[1]

const approve = { verdict: 'approve', ...ana } as const

/** A run whose agent calls `pay` with these arguments. */
async function paying(details: Details): Promise<Workplace> {
  return aWorkplace(place => ({
    script: [{ calls: [call('A', 'pay', { amount: 5 })] }, 'Done.'],
    tools: [place.held('pay', details)],
  }))
}

test('what a tool shows of a call is on its hold, with a digest that the approval binds', async () => {
  await using place = await paying({ preview: ({ amount }) => `Pays ${amount} to ben.` })
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await advanced(holdpoint, run.id)
  const hold = await onlyHold(holdpoint)
  expect(hold.preview).toEqual({
    parts: [{ type: 'text', text: 'Pays 5 to ben.' }],
    basis: [{ type: 'text', text: 'Pays 5 to ben.' }],
    problem: null,
    digest: expect.stringMatching(/^sha256:/),
  })
  expect(await holdpoint.decide(hold.id, approve)).toMatchObject({ outcome: 'recorded' })
  expect(await advanced(holdpoint, run.id)).toMatchObject({ status: 'done' })
  expect(place.effects).toEqual(['pay'])
  expect(await faults(holdpoint)).toEqual([])
})

async function faults(holdpoint: Holdpoint): Promise<readonly unknown[]> {
  return (await holdpoint.audit.verify()).faults
}

test('P9: what a tool was shown to do and would do otherwise by now is asked about anew, with both', async () => {
  let version = 'v1'
  await using place = await paying({ preview: () => ({ parts: [{ type: 'text', text: version }], basis: version }) })
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await advanced(holdpoint, run.id)
  const first = await onlyHold(holdpoint)
  await holdpoint.decide(first.id, approve)
  version = 'v2'
  expect(await advanced(holdpoint, run.id)).toMatchObject({ status: 'waiting' })
  const second = await onlyHold(holdpoint)
  expect(second).toMatchObject({
    message: expect.stringContaining('something else by now'),
    context: { differences: [{ path: 'preview', was: 'v1', is: 'v2' }] },
    preview: { basis: 'v2' },
  })
  expect(second.digest).not.toBe(first.digest)
  await holdpoint.decide(second.id, approve)
  expect(results(await advanced(holdpoint, run.id))).toEqual([['A', 'pay done']])
  expect(place.effects).toEqual(['pay'])
})

test('P9: a preview whose basis is the same may read otherwise, and the call runs', async () => {
  let seen = 0
  await using place = await paying({
    preview: () => ({ parts: [{ type: 'text', text: `look ${++seen}` }], basis: 'the same' }),
  })
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await advanced(holdpoint, run.id)
  await holdpoint.decide((await onlyHold(holdpoint)).id, approve)
  expect(await advanced(holdpoint, run.id)).toMatchObject({ status: 'done' })
})

test('parts that are a function are made when the hold opens, and not before the call starts', async () => {
  const made: string[] = []
  await using place = await paying({
    preview: () => ({ parts: async () => [{ type: 'text', text: `look ${made.push('parts')}` }], basis: null }),
  })
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await advanced(holdpoint, run.id)
  const hold = await onlyHold(holdpoint)
  expect(hold.preview).toMatchObject({ parts: [{ type: 'text', text: 'look 1' }], basis: null, problem: null })
  await holdpoint.decide(hold.id, approve)
  expect(await advanced(holdpoint, run.id)).toMatchObject({ status: 'done' })
  expect(made).toEqual(['parts'])
})

test.each<[name: string, preview: NonNullable<Details>['preview'], problem: string]>([
  ['throws', () => Promise.reject(new Error('no such customer')), 'no such customer'],
  [
    'shows what nobody can show',
    () => [{ type: 'movie' }] as never,
    'its preview cannot be used: parts[0] has no type',
  ],
  [
    'fails to make its parts',
    () => ({ parts: () => Promise.reject(new Error('no such row')), basis: 1 }),
    'no such row',
  ],
  ['is too long', () => 'x'.repeat(2 ** 21), 'its preview cannot be used: it has 2 MB, and the limit is 1 MB.'],
])('a preview that %s is told as a problem, and the call can be approved without it', async (_, preview, problem) => {
  await using place = await paying({ preview: preview as never })
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await advanced(holdpoint, run.id)
  const hold = await onlyHold(holdpoint)
  expect(hold.preview).toMatchObject({ parts: [], problem: expect.stringContaining(problem) })
  await holdpoint.decide(hold.id, approve)
  expect(await advanced(holdpoint, run.id)).toMatchObject({ status: 'done' })
})

test('a preview that never comes is given up after ten seconds, and the call waits for its decision', async () => {
  const slept: number[] = []
  const clock: NonNullable<OpenOptions['clock']> = {
    now: () => Date.now(),
    steady: () => performance.now(),
    sleep: async (ms, signal) => {
      slept.push(ms)
      await new Promise((resolve, reject) => {
        if (ms === 10_000) setImmediate(resolve)
        signal.addEventListener('abort', reject, { once: true })
      })
    },
  }
  let told: AbortSignal | null = null
  await using place = await aWorkplace(place => ({
    script: [{ calls: [call('A', 'pay', { amount: 5 })] }, 'Done.'],
    tools: [
      place.held('pay', {
        preview: (_, { abortSignal }) => {
          told = abortSignal
          return new Promise(() => {})
        },
      }),
    ],
    open: { clock },
  }))
  await using holdpoint = await place.open()
  await advanced(holdpoint, (await started(holdpoint)).id)
  const { preview } = await onlyHold(holdpoint)
  expect(preview).toMatchObject({ parts: [], problem: expect.stringContaining('gave no answer within 10 seconds') })
  expect(told).toMatchObject({ aborted: true })
})

test('P1: a rejected call is not asked about again, even if it would do something else by now', async () => {
  let version = 1
  await using place = await aWorkplace(place => ({
    script: [{ calls: [call('A', 'pay', { amount: 5 })] }, { calls: [call('B', 'pay', { amount: 5 })] }, 'Done.'],
    tools: [place.held('pay', { preview: () => `version ${version++}` })],
  }))
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await advanced(holdpoint, run.id)
  await holdpoint.decide((await onlyHold(holdpoint)).id, { verdict: 'reject', ...ana, reason: 'no' })
  expect(await advanced(holdpoint, run.id)).toMatchObject({ status: 'done' })
  expect(place.effects).toEqual([])
})

test('P9: an edit is of other arguments, so the preview of the asked ones does not hold it up', async () => {
  let version = 1
  await using place = await paying({ preview: () => `version ${version++}` })
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await advanced(holdpoint, run.id)
  const edit = { verdict: 'edit', arguments: { amount: 4 }, ...ana } as const
  await holdpoint.decide((await onlyHold(holdpoint)).id, edit)
  expect(await advanced(holdpoint, run.id)).toMatchObject({ status: 'done' })
})

test('P9: a preview that was changed in the store approves nothing, and the audit names the hold', async () => {
  await using place = await paying({ preview: () => 'Pays 5 to ben.' })
  await using holdpoint = await place.open()
  await advanced(holdpoint, (await started(holdpoint)).id)
  const { id } = await onlyHold(holdpoint)
  place.inFile(file => file.exec(`UPDATE holds SET asked = replace(asked, 'to ben', 'to eve')`))
  expect(await holdpoint.decide(id, approve)).toMatchObject({ outcome: 'refused', error: { code: 'altered_hold' } })
  expect(await faults(holdpoint)).toMatchObject([{ code: 'hold_altered' }])
})

const editing: Pick<AgentOptions, 'tools' | 'policy'> = {
  tools: ['write_file', 'edit_file'],
  policy: { default: 'prompt' },
}

test('write_file and edit_file show their difference, and what changed since is asked about anew', async () => {
  await using place = await aWorkplace({
    script: [
      {
        calls: [
          call('W', 'write_file', { path: 'new.txt', content: 'one\n' }),
          call('E', 'edit_file', { path: 'old.txt', old_text: 'two', new_text: 'zwei' }),
        ],
      },
      'Done.',
    ],
    ...editing,
  })
  const old = join(place.directory, 'old.txt')
  await writeFile(old, 'one\ntwo\nthree\n')
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await advanced(holdpoint, run.id)
  const [write, edit] = [await openHold(holdpoint, 'W'), await openHold(holdpoint, 'E')]
  expect(write.preview?.parts).toEqual([
    { type: 'diff', title: 'new.txt (new file)', diff: '@@ -0,0 +1 @@\n+one\n', added: 1, removed: 0 },
  ])
  expect(edit.preview?.parts).toEqual([
    { type: 'diff', title: 'old.txt', diff: '@@ -1,3 +1,3 @@\n one\n-two\n+zwei\n three\n', added: 1, removed: 1 },
  ])
  await writeFile(old, 'one\ntwo\n3\n')
  await holdpoint.decide(write.id, approve)
  await holdpoint.decide(edit.id, approve)
  expect(await advanced(holdpoint, run.id)).toMatchObject({ status: 'waiting' })
  expect(await readFile(join(place.directory, 'new.txt'), 'utf8')).toBe('one\n')
  const again = await onlyHold(holdpoint)
  expect(again.preview?.parts).toMatchObject([{ diff: '@@ -1,3 +1,3 @@\n one\n-two\n+zwei\n 3\n' }])
  await holdpoint.decide(again.id, approve)
  expect(await advanced(holdpoint, run.id)).toMatchObject({ status: 'done' })
  expect(await readFile(old, 'utf8')).toBe('one\nzwei\n3\n')
})

test('two edits of one file, far apart, run after one look at both', async () => {
  const lines = Array.from({ length: 40 }, (_, index) => `line ${index}\n`)
  const edit = (id: string, text: string) => call(id, 'edit_file', { path: 'f', old_text: text, new_text: 'x' })
  await using place = await aWorkplace({
    script: [{ calls: [edit('A', 'line 2\n'), edit('B', 'line 33\n')] }, 'Done.'],
    ...editing,
  })
  await writeFile(join(place.directory, 'f'), lines.join(''))
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await advanced(holdpoint, run.id)
  for (const id of ['A', 'B']) await holdpoint.decide((await openHold(holdpoint, id)).id, approve)
  expect(await advanced(holdpoint, run.id)).toMatchObject({ status: 'done' })
})

test('run_command shows how its words were read and what the policy says of each part', async () => {
  await using project = await aProject({
    script: [{ calls: [command('tc_1', `echo "a b" && sudo rm -rf build`)] }, 'Done.'],
    policy: { default: 'prompt', rules: [{ tool: 'run_command', match: { command: 'echo *' }, policy: 'auto' }] },
  })
  const paused = await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
  const [pending] = paused.json.pause_reason.pending_tool_calls
  expect(pending.preview.parts[0]).toMatchObject({
    type: 'table',
    columns: ['runs', 'policy', 'because'],
    rows: [
      [`echo 'a b'`, 'auto', 'rule run_command {"command":"echo *"}: auto'],
      ['sudo rm -rf build', 'prompt', 'default: prompt'],
      ['  rm -rf build', 'prompt', 'default: prompt'],
    ],
  })
  const shown = await project.holdpoint('show', pending.hold_id)
  expect(shown.stdout).toContain('\n    It deletes build\n')
  expect(shown.stdout).toContain('sudo rm -rf build  prompt')
})

test.each([
  ['by its path', './tidy now'],
  ['in the quotes of a shell', "$'\\x2e\\x2ftidy' now"],
])('P9: a program named %s that leads elsewhere by now is asked about anew', async (_, line) => {
  await using project = await aProject({ script: [{ calls: [command('tc_1', line)] }, 'Done.'], ...prompting })
  const link = join(project.directory, 'tidy')
  await symlink('/bin/true', link)
  const paused = await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
  await rm(link)
  await symlink('/bin/false', link)
  const resumed = await project.holdpoint('-c', paused.json.checkpoint_id, '--approve', 'tc_1', '-o', 'json')
  expect(resumed.exit).toBe(10)
  expect(resumed.json.pause_reason.pending_tool_calls[0].hold_id).not.toBe(
    paused.json.pause_reason.pending_tool_calls[0].hold_id,
  )
})

const prompting = { policy: { default: 'prompt' } } as const

test('P9: a file that an approver saw the difference of has to be as it was', async () => {
  await using project = await aProject({
    script: [{ calls: [{ id: 'tc_1', name: 'write_file', args: { path: 'a.txt', content: 'b\n' } }] }, 'Done.'],
    policy: { default: 'prompt' },
    files: { 'a.txt': 'a\n' },
  })
  const paused = await project.holdpoint('--pause-on-approval', '-t', 'write_file', 'go')
  expect(paused.stdout).toContain('a.txt: +1 -1')
  expect(paused.stdout).toContain('    -a\n    +b\n')
  await writeFile(join(project.directory, 'a.txt'), 'other\n')
  const checkpoint = /-c (cp_\w+)/.exec(paused.stdout)?.[1] ?? ''
  const again = await project.holdpoint('-c', checkpoint, '--approve', 'tc_1')
  expect(again.exit).toBe(10)
  expect(again.stdout).toContain('    -other\n    +b\n')
  expect(await readFile(join(project.directory, 'a.txt'), 'utf8')).toBe('other\n')
})

test('P1: no preview shows a file that proves to Holdpoint who a caller is', async () => {
  const token = 'the-token-of-the-owner-of-this-server'
  await using place = await aWorkplace({
    script: [
      {
        calls: [
          call('W', 'write_file', { path: '.holdpoint/server-token', content: 'x\n' }),
          call('L', 'write_file', { path: 'link.txt', content: 'x\n' }),
          call('E', 'edit_file', { path: '.holdpoint/server-token', old_text: 'the', new_text: 'a' }),
        ],
      },
      'Done.',
    ],
    ...editing,
  })
  await mkdir(join(place.directory, '.holdpoint'), { recursive: true })
  await writeFile(join(place.directory, '.holdpoint/server-token'), `${token}\n`)
  await symlink('.holdpoint/server-token', join(place.directory, 'link.txt'))
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await advanced(holdpoint, run.id)
  const holds = await holdpoint.holds({ status: 'open' })
  expect(holds.map(({ call_id }) => call_id).toSorted()).toEqual(['E', 'L', 'W'])
  expect(JSON.stringify(holds)).not.toContain(token)
  for (const { preview } of holds) expect(JSON.stringify(preview)).toContain('proves to Holdpoint who a caller is')
  const edit = await openHold(holdpoint, 'E')
  await holdpoint.decide(edit.id, approve)
  for (const id of ['W', 'L']) {
    const { id: hold } = await openHold(holdpoint, id)
    await holdpoint.decide(hold, { verdict: 'reject', ...ana, reason: 'no' })
  }
  expect(JSON.stringify(results(await advanced(holdpoint, run.id)))).toContain('no agent reads it')
  expect(await readFile(join(place.directory, '.holdpoint/server-token'), 'utf8')).toBe(`${token}\n`)
})

test('a small call that would make a huge text is told as a problem, and fills no memory', async () => {
  await using place = await aWorkplace({
    script: [
      { calls: [call('E', 'edit_file', { path: 'f', old_text: 'a', new_text: 'b'.repeat(4_000), replace_all: true })] },
      'Done.',
    ],
    ...editing,
  })
  await writeFile(join(place.directory, 'f'), 'a'.repeat(200_000))
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await advanced(holdpoint, run.id)
  const { id, preview } = await onlyHold(holdpoint)
  expect(preview?.problem).toContain('would have 800000000 characters')
  await holdpoint.decide(id, approve)
  expect(JSON.stringify(results(await advanced(holdpoint, run.id)))).toContain('would have 800000000 characters')
})

test('an edit of a file with \\r\\n and a byte order mark shows the lines that change, and leaves both', async () => {
  const edit = { path: 'cart.cs', old_text: 'int total;\n}', new_text: 'int total;\nint count;\n}' }
  await using project = await aProject({
    script: [
      { calls: [{ id: 'tc_1', name: 'edit_file', args: edit }] },
      { calls: [{ id: 'tc_2', name: 'write_file', args: { path: 'notes.txt', content: 'one\ntwo\n' } }] },
      'Done.',
    ],
    files: { 'cart.cs': '\uFEFFclass Cart {\r\nint total;\r\n}\r\n', 'notes.txt': 'one\r\n' },
  })
  const pause = ['--pause-on-approval', '-o', 'json']
  const first = await project.holdpoint(...pause, 'go')
  const [hold] = first.json.pause_reason.pending_tool_calls
  expect(hold.preview.parts).toMatchObject([{ type: 'diff', added: 1, removed: 0 }])
  const second = await project.holdpoint('-c', first.json.checkpoint_id, '--approve', 'tc_1', ...pause)
  expect(await project.read('cart.cs')).toBe('\uFEFFclass Cart {\r\nint total;\r\nint count;\r\n}\r\n')
  expect(second.json.pause_reason.pending_tool_calls[0].preview.parts).toMatchObject([{ added: 1, removed: 0 }])
  await project.holdpoint('-c', second.json.checkpoint_id, '--approve', 'tc_2', ...pause)
  expect(await project.read('notes.txt')).toBe('one\r\ntwo\r\n')
})
