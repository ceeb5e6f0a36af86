import { createServer } from 'node:http'
import { wall } from '../tools/wall.ts'

export const ear: unknown = createServer(() => wall)
