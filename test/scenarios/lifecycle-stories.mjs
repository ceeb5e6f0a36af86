/**
 * Stories of the lifecycle over the built library: `node lifecycle-stories.mjs STORY DIRECTORY...` plays one in each
 * directory to its end, from wherever a process before it was killed, and prints what came of it, a line of JSON each.
 * A story says what a person and a program would do next, whatever they find; so any process can take it up.
 * Effects are lines in `effects.log` (only those named `safe_…` may happen again), submitted decisions in `said.log`, those that were confirmed in `told.log`.
 */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { defineAgent, defineTool, openHoldpoint } from '../../dist/index.js'
import { scriptedModel } from '../../dist/testing/index.js'

const call = (id, name = id) => ({ id, name, args: { of: id } })

class Scene {
  constructor(directory, story) {
    this.directory = directory
    this.story = story
    this.begun = new Set()
    this.over = new Set()
  }

  async open(options = this.story.agent(this)) {
    const agent = defineAgent({ name: 'worker', ...options, model: scriptedModel(options.model) })
    this.holdpoint = await openHoldpoint({
      store: `sqlite:${join(this.directory, 'store.db')}`,
      directory: this.directory,
      agents: [agent],
      onEvent: event => {
        if (event.kind === 'call.finished') this.over.add(event.data.call_id)
      },
    })
    await this.repeat()
    return this.holdpoint
  }

  async reopen(options) {
    await this.holdpoint[Symbol.asyncDispose]()
    return this.open(options)
  }

  /** A person who is not sure whether a decision arrived, says it again. */
  async repeat() {
    const told = new Set(this.lines('told.log'))
    for (const line of this.lines('said.log')) {
      const { id, ...said } = JSON.parse(line)
      const { outcome } = await this.holdpoint.decide(id, said)
      if (told.has(id) && outcome !== 'duplicate') throw new Error(`${id} was recorded, and now is ${outcome}`)
    }
  }

  lines(file) {
    const path = join(this.directory, file)
    return existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : []
  }

  mark(file, line = '') {
    appendFileSync(join(this.directory, file), `${line}\n`)
  }

  has(file) {
    return existsSync(join(this.directory, file))
  }

  put(file, text = '') {
    writeFileSync(join(this.directory, file), text)
  }

  happened(id) {
    return this.lines('effects.log').some(line => line.startsWith(`${id} `))
  }

  /** A tool whose effect is a line. `before` and `after` are what it waits for beside that. */
  tool(name, { before, after, ...options } = {}) {
    return defineTool({
      name,
      inputSchema: { type: 'object' },
      ...options,
      execute: async (args, context) => {
        this.begun.add(args.of)
        // Without waiting where it need not: its effect comes as early as it can.
        if (before) await before(context)
        this.mark('effects.log', `${args.of} ${context.idempotencyKey}`)
        await after?.(context)
        return `${args.of} done`
      },
    })
  }

  async until(holds) {
    while (!(await holds())) await delay(2)
  }

  /** The oldest run, started where there is none. */
  async run() {
    const runs = await this.holdpoint.runs()
    return runs.at(-1) ?? (await this.holdpoint.start({ agent: 'worker', input: 'go' }))
  }

  async say(hold, said) {
    const decision = { decision_id: `say-${hold.id}`, decided_by: 'ana', surface: 'test', ...said }
    this.mark('said.log', JSON.stringify({ id: hold.id, ...decision }))
    const { outcome } = await this.holdpoint.decide(hold.id, decision)
    if (outcome === 'recorded') this.mark('told.log', hold.id)
  }

  /** What is in doubt, a person looks up; else as the story says. */
  async answer(hold) {
    if (hold.kind !== 'in_doubt') return this.say(hold, this.story.says?.(hold, this) ?? { verdict: 'approve' })
    const known = this.happened(hold.call_id)
      ? { verdict: 'respond', value: `${hold.call_id} done` }
      : { verdict: 'approve' }
    return this.say(hold, this.story.doubts?.(hold, this) ?? known)
  }

  async answerAll(query = {}) {
    for (const hold of await this.holdpoint.holds({ status: 'open', ...query })) await this.answer(hold)
  }

  async settle(runId) {
    for (;;) {
      const { status, holds } = await this.holdpoint.advance(runId)
      if (status === 'done') return
      if (status !== 'waiting') throw new Error(`run ${runId} is ${status}`)
      if (holds.length === 0) throw new Error(`run ${runId} waits for nobody`)
      await this.answerAll({ run_id: runId })
    }
  }

  async summary() {
    const runs = (await this.holdpoint.runs()).toReversed()
    const views = await Promise.all(runs.map(({ id }) => this.holdpoint.run(id)))
    const threads = await Promise.all(runs.map(({ thread_id }) => this.holdpoint.thread(thread_id)))
    return {
      runs: views.map(({ status, termination, messages, steps, counters }, index) => ({
        status,
        termination,
        messages,
        steps,
        lease: runs[index].lease,
        counters: { ...counters, active_ms: 0, used_before: { ...counters.used_before, active_ms: 0 } },
        plugins: Object.fromEntries(threads[index].run.plugin_states),
      })),
      open: (await this.holdpoint.holds({ status: 'open' })).length,
    }
  }
}

/** A tool that needs the approval of a person. */
const HELD = { needsApproval: true }
const AUTO = { default: 'auto' }

/** Tools that end in the order in which they began, each only when the end of the one before it is on record. */
function inOrder(scene) {
  let newest = null
  return () => {
    const [before] = [newest]
    const own = Promise.withResolvers()
    newest = own.promise
    return {
      wait: () => before ?? Promise.resolve(),
      done: id => {
        scene.until(() => scene.over.has(id)).then(own.resolve)
      },
    }
  }
}

function sequenced(scene, names, options = {}) {
  const queue = inOrder(scene)
  return names.map(name => {
    let place
    return scene.tool(name, {
      before: async () => {
        place = queue()
        await place.wait()
      },
      after: async () => place.done(name),
      ...options[name],
    })
  })
}

const pauseAndApprove = {
  agent: scene => ({
    model: [{ text: 'Soon.', calls: [call('pay')] }, 'Done.'],
    tools: [scene.tool('pay', HELD)],
  }),
  play: async scene => scene.settle((await scene.run()).id),
}

/** Waits for a decision on `pay`, then does something else to it. */
function whileWaiting(act, more = {}) {
  return {
    ...pauseAndApprove,
    ...more,
    play: async scene => {
      const { id, thread_id } = await scene.run()
      await scene.holdpoint.advance(id)
      await act(scene, { id, thread_id })
      await scene.settle(id)
    },
  }
}

async function sendOnce({ holdpoint }, threadId, whileWaiting) {
  const { run, messages } = await holdpoint.thread(threadId)
  const texts = [...run.queue, ...messages].map(({ content }) => content)
  if (!texts.includes('wait a moment')) await holdpoint.send(threadId, { text: 'wait a moment' }, { whileWaiting })
}

/** Its process dies in the middle of the call, once. */
function doubtful({ dies, doubts }) {
  return {
    dies: true,
    agent: scene => ({
      model: [{ calls: [call('pay')] }, 'Done.'],
      policy: AUTO,
      tools: [
        scene.tool('pay', {
          [dies]: () => {
            if (scene.has('died')) return
            scene.put('died')
            process.kill(process.pid, 'SIGKILL')
          },
        }),
      ],
    }),
    doubts,
    play: pauseAndApprove.play,
  }
}

function suspending(resumeMode, { until, says }) {
  return {
    agent: scene => ({
      model: [{ calls: [call('pay'), call('safe_note')] }, 'Done.'],
      policy: AUTO,
      tools: [
        scene.tool('pay', {
          before: context => {
            if (!until(context, scene)) context.suspend({ message: 'May I?', resumeMode })
          },
        }),
        scene.tool('safe_note', { idempotent: true }),
      ],
      maxConcurrentCalls: 1,
    }),
    says,
    play: pauseAndApprove.play,
  }
}

const COUNTER = {
  name: 'counter',
  initialState: { starts: 0, steps: 0, calls: 0, ends: 0 },
  hooks: {
    runStart: ({ state }) => ({ setState: { ...state, starts: state.starts + 1 } }),
    afterToolExecute: ({ state }) => ({ setState: { ...state, calls: state.calls + 1 } }),
    stepEnd: ({ state }) => ({ setState: { ...state, steps: state.steps + 1 } }),
    runEnd: ({ state }) => ({ setState: { ...state, ends: state.ends + 1 } }),
  },
}

/** The agent of the drift story before and after a new version of its tool is deployed. */
const versions = scene => ({
  model: [{ calls: [call('pay')] }, 'Done.'],
  tools: [
    scene.tool('pay', {
      ...HELD,
      inputSchema: { type: 'object', ...(scene.has('version-2') && { properties: { of: { type: 'string' } } }) },
    }),
  ],
})

/** Its effects are those of its calls, though the arguments of all are the same. */
function paying(scene) {
  return defineTool({
    name: 'pay',
    inputSchema: { type: 'object' },
    ...HELD,
    execute: async (_args, { toolCallId, idempotencyKey }) => {
      scene.mark('effects.log', `${toolCallId} ${idempotencyKey}`)
      return `${toolCallId} done`
    },
  })
}

const STORIES = {
  'pause and approve': pauseAndApprove,
  'pause and reject': {
    ...pauseAndApprove,
    says: () => ({ verdict: 'reject', reason: 'too much' }),
  },
  'three calls side by side': {
    agent: scene => ({
      model: [{ calls: [call('one'), call('safe_two'), call('three')] }, 'Done.'],
      policy: AUTO,
      tools: sequenced(scene, ['one', 'safe_two', 'three'], { safe_two: { idempotent: true } }),
    }),
    play: pauseAndApprove.play,
  },
  'a call that is approved while three others run': {
    agent: scene => {
      const isPaid = () => scene.over.has('pay')
      const [one, two, three] = ['one', 'two', 'three'].map((name, index) =>
        scene.tool(name, {
          before: () =>
            scene.until(() => isPaid() && [[], ['one'], ['one', 'two']][index].every(id => scene.over.has(id))),
        }),
      )
      return {
        model: [{ calls: [call('one'), call('pay'), call('two'), call('three')] }, 'Done.'],
        policy: AUTO,
        tools: [one, two, three, scene.tool('pay', HELD)],
      }
    },
    play: async scene => {
      const { id, thread_id } = await scene.run()
      const { run } = await scene.holdpoint.thread(thread_id)
      for (const each of run.step?.calls.values() ?? []) if (each.status === 'succeeded') scene.over.add(each.id)
      const over = new AbortController()
      const person = (async () => {
        while (!over.signal.aborted) {
          await scene.answerAll({ run_id: id })
          await delay(2)
        }
      })()
      try {
        await scene.settle(id)
      } finally {
        over.abort()
        await person
      }
    },
  },
  'suspend, then run again': suspending('replay_tool_call', {
    until: (_context, scene) => scene.has('budget'),
    says: (_hold, scene) => {
      scene.put('budget', 'raised')
      return { verdict: 'approve' }
    },
  }),
  'suspend, then be told the decision': suspending('pass_decision_to_tool', {
    until: ({ decision }) => decision !== null,
    says: () => ({ verdict: 'approve' }),
  }),
  'suspend, and the decision is the result': suspending('use_decision_as_tool_result', {
    until: () => false,
    says: () => ({ verdict: 'approve', reason: 'fine' }),
  }),
  'in doubt, and run again': doubtful({ dies: 'before' }),
  'in doubt, and it happened': doubtful({ dies: 'after' }),
  'in doubt, and it failed': doubtful({
    dies: 'before',
    doubts: () => ({ verdict: 'reject', reason: 'the bank was down' }),
  }),
  'in doubt after its tool was told the decision': {
    dies: true,
    agent: scene => ({
      model: [{ calls: [call('pay')] }, 'Done.'],
      policy: AUTO,
      tools: [
        scene.tool('pay', {
          before: ({ decision, suspend }) => {
            if (decision === null) suspend({ message: 'May I?' })
            if (scene.has('died')) return
            scene.put('died')
            process.kill(process.pid, 'SIGKILL')
          },
        }),
      ],
    }),
    play: pauseAndApprove.play,
  },
  'cancel of a waiting run': whileWaiting((scene, { id }) =>
    scene.holdpoint.cancel(id, { by: 'ben', reason: 'no more' }),
  ),
  'cancel of a running run': {
    agent: scene => ({
      model: [{ calls: [call('long'), call('pay')] }, 'Done.'],
      policy: AUTO,
      tools: [
        scene.tool('long', {
          before: ({ abortSignal }) =>
            new Promise((_, reject) => {
              abortSignal.addEventListener('abort', () => reject(abortSignal.reason), { once: true })
            }),
        }),
        scene.tool('pay', HELD),
      ],
    }),
    differs: true,
    play: async scene => {
      const { id } = await scene.run()
      const advancing = scene.holdpoint.advance(id)
      let isOver = false
      const end = () => {
        isOver = true
      }
      advancing.then(end, end)
      await scene.until(() => isOver || scene.begun.has('long'))
      await scene.holdpoint.cancel(id, { by: 'ben', reason: 'no more' })
      await advancing
    },
  },
  'a message that is queued while it waits': whileWaiting((scene, { thread_id }) =>
    sendOnce(scene, thread_id, 'queue'),
  ),
  'a message that supersedes what waits': whileWaiting((scene, { thread_id }) =>
    sendOnce(scene, thread_id, 'supersede'),
  ),
  'a message to a finished thread': {
    ...pauseAndApprove,
    agent: scene => ({ model: ['Hello.', { calls: [call('pay')] }, 'Done.'], tools: [scene.tool('pay', HELD)] }),
    play: async scene => {
      const { id, thread_id } = await scene.run()
      await scene.settle(id)
      if ((await scene.holdpoint.runs()).length === 1) await scene.holdpoint.send(thread_id, { text: 'more' })
      const [newest] = await scene.holdpoint.runs()
      await scene.settle(newest.id)
    },
  },
  'a text pause, answered by a message': {
    agent: scene => ({
      model: ['Shall I?', { calls: [call('pay')] }, 'Done.'],
      policy: AUTO,
      pauseOn: ['approval', 'question', 'input'],
      tools: [scene.tool('pay')],
    }),
    says: hold => (hold.kind === 'input' ? { verdict: 'approve' } : undefined),
    play: async scene => {
      const { id, thread_id } = await scene.run()
      const { holds, steps } = await scene.holdpoint.advance(id)
      if (steps === 1 && holds[0]?.kind === 'input')
        await scene.holdpoint.send(thread_id, { text: 'yes, proceed', author: 'ana' })
      await scene.settle(id)
    },
  },
  'a plugin that counts': {
    agent: scene => ({
      model: [{ calls: [call('safe_one'), call('safe_two')] }, 'Done.'],
      policy: AUTO,
      plugins: [COUNTER],
      tools: sequenced(scene, ['safe_one', 'safe_two'], {
        safe_one: { idempotent: true },
        safe_two: { idempotent: true },
      }),
    }),
    play: pauseAndApprove.play,
  },
  'a stop condition': {
    agent: scene => ({
      model: [{ calls: [call('safe_pay')] }, { calls: [call('safe_again')] }, 'Done.'],
      policy: AUTO,
      plugins: [COUNTER],
      stop: [{ type: 'stop_on_tool', tool_name: 'safe_again' }],
      tools: [scene.tool('safe_pay', { idempotent: true }), scene.tool('safe_again', { idempotent: true })],
    }),
    play: pauseAndApprove.play,
  },
  'a lease that is renewed while a call runs': {
    agent: scene => {
      // The tool takes the place of the time after which the lease is renewed.
      const { setInterval } = globalThis
      let renew = () => {}
      globalThis.setInterval = (work, ms, ...rest) => {
        globalThis.setInterval = setInterval
        renew = work
        return setInterval(work, ms, ...rest)
      }
      return {
        model: [{ calls: [call('pay')] }, 'Done.'],
        policy: AUTO,
        tools: [scene.tool('pay', { before: () => renew() })],
      }
    },
    play: pauseAndApprove.play,
  },
  'a fork of a waiting run': {
    ...pauseAndApprove,
    play: async scene => {
      const { holdpoint } = scene
      const { id, thread_id } = await scene.run()
      await holdpoint.advance(id)
      if ((await holdpoint.runs()).length === 1) {
        const checkpoints = await holdpoint.checkpoints(thread_id)
        await holdpoint.fork(checkpoints.findLast(({ reason }) => reason === 'pause').checkpoint_id)
      }
      const [forked] = await holdpoint.runs()
      await scene.settle(forked.id)
      await scene.settle(id)
    },
  },
  'an approval in words and the call that demands it': {
    agent: scene => ({
      model: [
        { calls: [{ id: 'ask', name: 'request_approval', args: { action: 'pay', reason: 'due', details: 'pay' } }] },
        { calls: [call('pay')] },
        'Done.',
      ],
      tools: ['request_approval', scene.tool('pay', { demandsApproval: ({ of }) => ({ action: 'pay', details: of }) })],
    }),
    play: pauseAndApprove.play,
  },
  'a grant that is given with an approval and used by the next call': {
    agent: scene => ({
      model: [{ calls: [call('pay')] }, { calls: [{ ...call('pay'), id: 'pay-again' }] }, 'Done.'],
      tools: [paying(scene)],
    }),
    says: () => ({ verdict: 'approve', grant: { name: 'payments', scope: 'thread' } }),
    play: pauseAndApprove.play,
  },
  'a tool that changes after it was approved': {
    agent: versions,
    play: async scene => {
      const { id, thread_id } = await scene.run()
      if (!scene.has('version-2')) {
        const { run } = await scene.holdpoint.thread(thread_id)
        if (![...run.holds.values()].some(({ decision }) => decision)) await scene.holdpoint.advance(id)
        await scene.answerAll()
        scene.put('version-2')
        await scene.reopen(versions(scene))
      }
      await scene.settle(id)
    },
  },
}

const [name, ...directories] = process.argv.slice(2)
if (name === '--list') {
  const stories = Object.entries(STORIES).map(([title, { dies = false, differs = false }]) => ({
    title,
    dies,
    differs,
  }))
  process.stdout.write(JSON.stringify(stories))
}
for (const directory of directories) {
  const scene = new Scene(directory, STORIES[name])
  await scene.open()
  await STORIES[name].play(scene)
  process.stdout.write(`${JSON.stringify(await scene.summary())}\n`)
  await scene.holdpoint[Symbol.asyncDispose]()
}
