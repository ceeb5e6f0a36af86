import { expect, test } from 'vitest'
import { aProject, effect, type Project } from './project.ts'
import { advanced, aWorkplace, call, started } from './workplace.ts'

const usage = { input: 700_000, output: 300_000 }
const round = (n: number) => ({ text: `Round ${n}.`, calls: [effect(`tc_${n}`, `effect-${n}`)], usage })
const SCRIPT = [round(1), round(2), { text: 'Done.', usage }]
/** Each answer of the script costs a dollar. */
const PRICES = { 'script:*': { input: 1, output: 1 } }

const aPricedProject = (config: object = { prices: PRICES }): Promise<Project> =>
  aProject({ script: SCRIPT, policy: { default: 'auto' }, config })

test('--budget ends a run one step after its models cost more, and a resume counts on', async () => {
  await using project = await aPricedProject()
  const stopped = await project.holdpoint('-a', '--budget', '1.50', '-o', 'json', 'go')
  expect(stopped).toMatchObject({
    exit: 1,
    json: {
      termination: { type: 'stopped', code: 'budget', detail: '$2.00 of $1.50 were used' },
      error: { code: 'budget', hint: expect.stringContaining('--budget USD') },
      usage: { cost_usd: 2 },
      steps_taken: 2,
    },
  })
  const { checkpoint_id, run_id } = stopped.json
  expect((await project.holdpoint('show', run_id)).stdout).toMatch(/cost +\$2\.00/)
  const again = await project.holdpoint('-c', checkpoint_id, '-o', 'json')
  expect(again).toMatchObject({ exit: 1, json: { termination: { code: 'budget' }, steps_taken: 2 } })
  expect(await project.holdpoint('-c', again.json.checkpoint_id, '--budget', '9', '-o', 'json')).toMatchObject({
    exit: 0,
    json: { final_message: 'Done.', usage: { cost_usd: 3 } },
  })
  expect(await project.effects()).toEqual(['effect-1', 'effect-2'])
})

test('a run keeps the prices with which it began', async () => {
  await using project = await aPricedProject()
  const first = await project.holdpoint('-a', '--budget', '1', '-o', 'json', 'go')
  await project.write('.holdpoint/config.json', JSON.stringify({ prices: { 'script:*': { input: 50, output: 50 } } }))
  const next = await project.holdpoint('-c', first.json.checkpoint_id, '--budget', '2', '-o', 'json')
  expect(next).toMatchObject({ exit: 1, json: { termination: { detail: '$2.00 of $2.00 were used' } } })
})

test('a run that began without prices takes those of the project along with a budget', async () => {
  await using project = await aPricedProject({})
  const first = await project.holdpoint('-a', '--max-steps', '1', '-o', 'json', 'go')
  expect(first.json.usage).not.toHaveProperty('cost_usd')
  const flags = ['-c', first.json.checkpoint_id, '--max-steps', '9', '--budget', '1', '-o', 'json']
  expect(await project.run(flags)).toMatchObject({ exit: 2, json: { error: { code: 'no_price' } } })
  await project.write('.holdpoint/config.json', JSON.stringify({ prices: PRICES }))
  expect(await project.run(flags)).toMatchObject({
    exit: 1,
    json: { termination: { code: 'budget', detail: '$1.00 of $1.00 were used' }, steps_taken: 2 },
  })
})

test.each([
  ['the model', { 'anthropic/*': { input: 1, output: 1 } }, {}, /script:.* has no price/],
  ['a model that stands in', PRICES, { fallback_models: ['openai/gpt-5'] }, /openai\/gpt-5 has no price/],
  ['the model of summaries', PRICES, { context: { model: 'openai/gpt-5' } }, /openai\/gpt-5 has no price/],
])('a budget is refused where %s has no price, and nothing is started', async (_, prices, settings, message) => {
  await using project = await aPricedProject({ prices, ...settings })
  const env = { OPENAI_API_KEY: 'sk-test' }
  const refused = await project.run(['-a', '--budget', '1', '-o', 'json', 'go'], { env })
  expect(refused).toMatchObject({
    exit: 2,
    json: { outcome: 'refused', error: { code: 'no_price', message: expect.stringMatching(message) } },
  })
  expect(refused.json.error.hint).toContain('prices')
  expect((await project.run(['runs', '--json'])).json.error.code).toBe('no_store')
})

test.each(['0', '-1', 'lots', '1e3', '1,50', ''])('--budget %j is refused', async amount => {
  await using project = await aPricedProject()
  const refused = await project.run(['-a', `--budget=${amount}`, '-o', 'json', 'go'])
  expect(refused).toMatchObject({ exit: 2, json: { error: { code: 'invalid_arguments' } } })
  expect(refused.json.error.message).toContain('--budget')
})

const rounds = [1, 2, 3].map(n => ({ text: `Round ${n}.`, calls: [call(`tc_${n}`, 'work')], usage }))
const WORKER_PRICES = { 'script:turns': { input: 2, output: 2, cachedInput: 0.2 } }

test('in the library prices are an option, and a start or a change with a budget needs them', async () => {
  await using place = await aWorkplace(place => ({
    script: [...rounds, 'Done.'],
    tools: [place.tool('work')],
    stop: [{ type: 'budget', usd: 3 }],
  }))
  await using unpriced = await place.open()
  await expect(started(unpriced)).rejects.toMatchObject({ code: 'no_price', details: { model: 'script:turns' } })
  await using unlimited = await place.open({ stop: [{ type: 'max_rounds', rounds: 1 }] })
  const { id } = await started(unlimited)
  const changes = { stop: [{ type: 'budget', usd: 1 }] } as const
  await expect(unlimited.advance(id, { changes, by: 'ana' })).rejects.toMatchObject({ code: 'no_price' })
  await using priced = await place.open({ open: { prices: WORKER_PRICES } })
  expect(await advanced(priced, (await started(priced)).id)).toMatchObject({
    termination: { code: 'budget', detail: '$4.00 of $3.00 were used' },
    usage: { cost_usd: 4 },
    profile: { prices: { 'script:turns': { input: 2, output: 2, cached_input: 0.2 } } },
  })
})

test('a model without a price that a plugin names ends a run with a budget', async () => {
  const answer = async () => ({
    text: 'Hm.',
    calls: [{ id: 'x', name: 'work', arguments: '{}', metadata: null }],
    usage: { total_tokens: 7 },
  })
  const other = { id: 'other', answer } as never
  await using place = await aWorkplace(place => ({
    script: [...rounds, 'Done.'],
    tools: [place.tool('work')],
    stop: [{ type: 'budget', usd: 100 }],
    plugins: [{ name: 'chooser', hooks: { beforeInference: () => ({ model: other }) } }],
    open: { prices: WORKER_PRICES },
  }))
  await using holdpoint = await place.open()
  expect(await advanced(holdpoint, (await started(holdpoint)).id)).toMatchObject({
    termination: { code: 'budget', detail: '7 tokens of a model without a price were used' },
    steps: 1,
  })
})

test.each([
  [{ x: { input: 1 } }, /x needs output/],
  [{ x: { input: 1, output: 2, cached_input: 1 } }, /unknown key cached_input; known are input, output, cachedInput/],
  [{ x: { input: -1, output: 2 } }, /x needs input/],
  [[], /must be an object/],
])('the prices %j are refused when Holdpoint is opened', async (prices, message) => {
  await using place = await aWorkplace()
  await expect(place.open({ open: { prices: prices as never } })).rejects.toMatchObject({
    code: 'invalid_options',
    message: expect.stringMatching(message),
  })
})
