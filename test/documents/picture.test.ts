import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { PICTURES } from '../../scripts/draw-picture.ts'
import { HAS_TERMINAL } from '../scenarios/terminal/pseudo-terminal.ts'

// A pseudo terminal comes from script(1) of util-linux.
test.skipIf(!HAS_TERMINAL).each(Object.entries(PICTURES))(
  '%s of the README shows what a terminal shows; `npm run picture` draws it',
  async (file, draw) => {
    expect(await draw()).toBe(readFileSync(file, 'utf8'))
  },
)
