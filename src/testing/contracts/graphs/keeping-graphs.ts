import type { GraphPlace, GraphStore, GraphWrite, NewGraphCheckpoint } from '../../../ports/store/graphs.ts'
import type { Kit } from '../contract-kit.ts'
import { aFinishedThread, aPrune } from '../store-samples.ts'

const packed = (text: string) => ({ type: 'json', bytes: new TextEncoder().encode(text) })
const unpacked = ({ bytes }: { readonly bytes: Uint8Array }) => new TextDecoder().decode(bytes)
const place = (checkpoint_id: string, thread_id = 'th_1'): GraphPlace => ({ thread_id, namespace: '', checkpoint_id })

/** A checkpoint whose channels have their versions as values, unless `changes` has others. */
function aCheckpoint(checkpoint_id: string, changes: Partial<NewGraphCheckpoint> = {}): NewGraphCheckpoint {
  return {
    ...place(checkpoint_id),
    parent_id: null,
    checkpoint: packed(`"${checkpoint_id}"`),
    metadata: packed('{}'),
    versions: {},
    channels: [],
    ...changes,
  }
}

const channel = (name: string, version: string, value = `"${version}"`) => ({
  channel: name,
  version,
  ...packed(value),
})

function write(task_id: string, index: number, value: string, task_path = ''): GraphWrite {
  return { task_id, task_path, index, channel: 'said', ...packed(value) }
}

async function found(graphs: GraphStore, checkpoint_id: string | null, thread_id = 'th_1') {
  const checkpoint = await graphs.find({ thread_id, namespace: '', checkpoint_id })
  if (checkpoint === null) return null
  const { channels, writes } = checkpoint
  return {
    id: checkpoint.checkpoint_id,
    channels: Object.fromEntries(channels.map(each => [each.channel, unpacked(each)])),
    writes: writes.map(each => [each.task_id, each.index, unpacked(each)]),
  }
}

export function keepingGraphs({ test, expect, scene }: Kit): void {
  test('a checkpoint has the channels of its versions, those of earlier ones among them', async () => {
    await using it = await scene()
    const { graphs } = it.store
    await graphs.put(
      aCheckpoint('1', { versions: { a: '1', b: '1' }, channels: [channel('a', '1'), channel('b', '1')] }),
    )
    await graphs.put(
      aCheckpoint('2', { parent_id: '1', versions: { a: '1', b: '2', gone: '2' }, channels: [channel('b', '2')] }),
    )
    expect(await found(graphs, '1')).toMatchObject({ channels: { a: '"1"', b: '"1"' } })
    expect(await found(graphs, '2')).toMatchObject({ channels: { a: '"1"', b: '"2"' } })
    expect(await found(graphs, null)).toMatchObject({ id: '2' })
    expect(await found(graphs, '3')).toBeNull()
    expect(await found(graphs, null, 'th_2')).toBeNull()
  })

  test('bytes, types and names are kept as they are', async () => {
    await using it = await scene()
    const bytes = Uint8Array.from({ length: 256 }, (_, n) => n)
    const given = aCheckpoint('1', {
      namespace: 'sub:1|"quoted"',
      checkpoint: { type: 'bytes', bytes },
      metadata: { type: 'own', bytes: new Uint8Array(0) },
      versions: { "o'ne, {2} \\ 3": '1.5' },
      channels: [{ channel: "o'ne, {2} \\ 3", version: '1.5', type: 'bytes', bytes }],
    })
    await it.store.graphs.put(given)
    const kept = await it.store.graphs.find(given)
    const plain = (value: Uint8Array | undefined) => [...(value ?? [])]
    expect(kept).toMatchObject({ namespace: given.namespace, parent_id: null, metadata: { type: 'own' } })
    expect(plain(kept?.checkpoint.bytes)).toEqual(plain(bytes))
    expect(plain(kept?.metadata.bytes)).toEqual([])
    expect(plain(kept?.channels[0]?.bytes)).toEqual(plain(bytes))
    expect(kept?.channels).toMatchObject([{ channel: "o'ne, {2} \\ 3", version: '1.5', type: 'bytes' }])
  })

  test('the value of a version never changes, and of a refused checkpoint nothing is kept', async () => {
    await using it = await scene()
    const { graphs } = it.store
    const first = aCheckpoint('1', { versions: { a: '1' }, channels: [channel('a', '1')] })
    await graphs.put(first)
    await graphs.put(first)
    const versions = { a: '1', b: '1' }
    const other = graphs.put(
      aCheckpoint('2', { versions, channels: [channel('b', '1'), channel('a', '1', '"other"')] }),
    )
    await expect(other).rejects.toMatchObject({ code: 'graph_conflict' })
    expect(await found(graphs, null)).toMatchObject({ id: '1', channels: { a: '"1"' } })
    await graphs.put(aCheckpoint('3', { versions, channels: [] }))
    expect(await found(graphs, '3')).toMatchObject({ channels: { a: '"1"' } })
  })

  test('writes stand in the order of path, task and index; the first stays, and a special one is replaced', async () => {
    await using it = await scene()
    const { graphs } = it.store
    await graphs.put(aCheckpoint('1'))
    await graphs.putWrites(place('1'), [write('t2', 0, '1', 'b'), write('t2', 1, '2', 'b'), write('t2', -1, '3', 'b')])
    await graphs.putWrites(place('1'), [write('t3', 0, '4', 'a'), write('t1', 0, '5')])
    await graphs.putWrites(place('1'), [write('t2', 0, 'late', 'b'), write('t2', -1, 'new', 'b')])
    await graphs.putWrites(place('1'), [])
    const writes = [
      ['t1', 0, '5'],
      ['t3', 0, '4'],
      ['t2', -1, 'new'],
      ['t2', 0, '1'],
      ['t2', 1, '2'],
    ]
    expect(await found(graphs, '1')).toMatchObject({ writes })
  })

  test('checkpoints are listed from the newest back, by page, and by what is asked for', async () => {
    await using it = await scene()
    const { graphs } = it.store
    for (const id of ['1', '2', '3']) {
      await graphs.put(aCheckpoint(id))
      await graphs.put(aCheckpoint(id, { namespace: 'sub' }))
      await graphs.put(aCheckpoint(id, { thread_id: 'th_2' }))
    }
    const listed = async (query: Partial<Parameters<GraphStore['heads']>[0]> = {}) =>
      (await graphs.heads({ limit: 50, ...query })).map(each =>
        [each.thread_id, each.namespace, each.checkpoint_id].join(),
      )
    const all = ['3', '2', '1'].flatMap(id => [`th_2,,${id}`, `th_1,sub,${id}`, `th_1,,${id}`])
    expect(await listed()).toEqual(all)
    expect(await listed({ thread_id: 'th_1', namespace: '' })).toEqual(['th_1,,3', 'th_1,,2', 'th_1,,1'])
    expect(await listed({ before: '3', namespace: 'sub' })).toEqual(['th_1,sub,2', 'th_1,sub,1'])
    expect(await listed({ checkpoint_id: '2', thread_id: 'th_2' })).toEqual(['th_2,,2'])
    expect(await listed({ limit: 4 })).toEqual(all.slice(0, 4))
    expect(await listed({ after: place('2', 'th_2') })).toEqual(all.slice(4))
  })

  test('a thread is forgotten whole, and others stay', async () => {
    await using it = await scene()
    const { graphs } = it.store
    for (const thread_id of ['th_1', 'th_2']) {
      await graphs.put(aCheckpoint('1', { thread_id, versions: { a: '1' }, channels: [channel('a', '1')] }))
      await graphs.putWrites(place('1', thread_id), [write('t1', 0, '1')])
    }
    await graphs.forget('th_1')
    expect(await found(graphs, '1')).toBeNull()
    await graphs.put(aCheckpoint('1', { versions: { a: '1' } }))
    expect(await found(graphs, '1')).toMatchObject({ channels: {}, writes: [] })
    expect(await found(graphs, '1', 'th_2')).toMatchObject({ channels: { a: '"1"' }, writes: [['t1', 0, '1']] })
  })

  test('with a thread that is pruned, its graph goes too', async () => {
    await using it = await scene()
    await aFinishedThread(it.store)
    await it.clock.advance(1000)
    for (const thread_id of ['th_1', 'mine']) await it.store.graphs.put(aCheckpoint('1', { thread_id }))
    await it.store.prune(aPrune({ dry_run: true }))
    expect(await found(it.store.graphs, '1')).not.toBeNull()
    await it.store.prune(aPrune())
    expect(await found(it.store.graphs, '1')).toBeNull()
    expect(await found(it.store.graphs, '1', 'mine')).not.toBeNull()
  })
}
