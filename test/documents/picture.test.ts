import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { drawPicture, PICTURE_FILE } from '../../scripts/draw-picture.ts'
import { HAS_TERMINAL } from '../scenarios/terminal/pseudo-terminal.ts'

// A pseudo terminal comes from script(1) of util-linux.
test.skipIf(!HAS_TERMINAL)(
  'the picture of the README shows what a terminal shows; `npm run picture` draws it',
  async () => {
    expect(await drawPicture()).toBe(readFileSync(PICTURE_FILE, 'utf8'))
  },
)
