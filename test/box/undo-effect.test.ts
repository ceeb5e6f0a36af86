import { lstatSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { undoEffect } from '../../src/tools/box/effect/undo-effect.ts'
import { aBox, hasBox } from './a-box.ts'

function undo(boxes: string, idempotencyKey: string, before = async () => {}): ReturnType<typeof undoEffect> {
  return undoEffect({ boxes, idempotencyKey, signal: new AbortController().signal, before })
}

describe.runIf(await hasBox())('an effect', () => {
  test('is taken back whole: contents, deletions, modes, links, directories', async () => {
    const files = { a: 'a', 'd/b': 'b', 'run.sh': 'x' }
    const box = aBox({ files })
    await box.run('echo A > a; rm -r d; mkdir -p n/m; echo n > n/m/f; ln -s a link; chmod +x run.sh', { key: 'k' })
    expect(await undo(box.boxes, 'k')).toMatchObject({ outcome: 'undone' })
    expect(box.files()).toEqual(files)
    expect(lstatSync(join(box.workdir, 'run.sh')).mode & 0o777).toBe(0o644)
    expect(() => readlinkSync(join(box.workdir, 'link'))).toThrow('ENOENT')
    expect(await undo(box.boxes, 'k')).toEqual({ outcome: 'undone_before' })
  })

  test('stays if something else changed one of its files since', async () => {
    const box = aBox({ files: { a: 'a', b: 'b' } })
    await box.run('echo A > a; echo B > b', { key: 'k' })
    writeFileSync(join(box.workdir, 'b'), 'theirs')
    expect(await undo(box.boxes, 'k')).toEqual({ outcome: 'moved', paths: ['b'] })
    expect(box.files()).toEqual({ a: 'A\n', b: 'theirs' })
  })

  test('stays if the undoing cannot be put on record', async () => {
    const box = aBox({ files: { a: 'a' } })
    await box.run('echo A > a', { key: 'k' })
    const failing = () => Promise.reject(new Error('the store is gone'))
    await expect(undo(box.boxes, 'k', failing)).rejects.toThrow('the store is gone')
    expect(box.files()).toEqual({ a: 'A\n' })
  })

  test('of a call that changed nothing is unknown', async () => {
    const box = aBox()
    await box.run('true', { key: 'k' })
    expect(await undo(box.boxes, 'k')).toEqual({ outcome: 'unknown' })
  })
})
