import { Annotation, interrupt, START, StateGraph } from '@langchain/langgraph'
import { type AdvanceResult, defineAgent, openHoldpoint } from 'holdpoint'
import { type CompileGraph, graphAgent } from 'holdpoint/langgraph'
import { expect, test } from 'vitest'

const State = Annotation.Root({
  said: Annotation<string[]>({ reducer: (all, more) => [...all, ...more], default: () => [] }),
})

/** Answers each open question with its own text in capitals, until the graph is done. */
async function played(compile: CompileGraph) {
  const agent = graphAgent({ compile, toInput: () => ({ said: [] }), toAnswer: values => JSON.stringify(values) })
  const clerk = defineAgent({ name: 'clerk', ...agent })
  await using holdpoint = await openHoldpoint({ store: 'memory:', agents: [clerk] })
  const run = await holdpoint.start({ agent: 'clerk', input: 'go' })
  const rounds: string[][] = []
  for (;;) {
    const state = await holdpoint.advance(run.id)
    if (state.status !== 'waiting') return { rounds, answer: isNatural(state) ? state.answer : state }
    const holds = await holdpoint.holds({ status: 'open' })
    rounds.push(holds.map(({ message }) => message).toSorted())
    for (const { id, message } of holds)
      await holdpoint.decide(id, {
        verdict: 'respond',
        value: message.toUpperCase(),
        decided_by: 'ana',
        surface: 'test',
      })
  }
}

function isNatural(state: AdvanceResult): state is AdvanceResult & { readonly answer: string } {
  return state.status === 'done' && state.termination?.type === 'natural_end'
}

const asking = (...questions: string[]) => ({ said: questions.map(question => interrupt(question) as string) })

test('a node that asks twice asks one after the other, and keeps what it was told', async () => {
  const graph = new StateGraph(State).addNode('ask', () => asking('first?', 'second?')).addEdge(START, 'ask')
  const { rounds, answer } = await played(checkpointer => graph.compile({ checkpointer }))
  expect(rounds).toEqual([['first?'], ['second?']])
  expect(answer).toBe('{"said":["FIRST?","SECOND?"]}')
})

test('a subgraph asks as its graph does, beside a branch that asks too', async () => {
  const sub = new StateGraph(State)
    .addNode('deep', () => asking('deep?'))
    .addEdge(START, 'deep')
    .compile()
  const graph = new StateGraph(State)
    .addNode('sub', sub)
    .addNode('beside', () => asking('beside?', 'again?'))
    .addEdge(START, 'sub')
    .addEdge(START, 'beside')
  const { rounds, answer } = await played(checkpointer => graph.compile({ checkpointer }))
  expect(rounds).toEqual([['beside?', 'deep?'], ['again?']])
  expect(JSON.parse(String(answer)).said.toSorted()).toEqual(['AGAIN?', 'BESIDE?', 'DEEP?'])
})

test('a graph that stops and asks nothing ends the run with an error that says what to do', async () => {
  const graph = new StateGraph(State).addNode('work', () => ({ said: ['worked'] })).addEdge(START, 'work')
  const { answer } = await played(checkpointer => graph.compile({ checkpointer, interruptBefore: ['work'] }))
  expect(JSON.stringify(answer)).toContain('GRAPH_STOPPED')
})

test('a node that throws ends the run with its message', async () => {
  const graph = new StateGraph(State)
    .addNode('work', () => {
      throw new TypeError('no printer')
    })
    .addEdge(START, 'work')
  const { answer } = await played(checkpointer => graph.compile({ checkpointer }))
  expect(JSON.stringify(answer)).toContain('no printer')
})
