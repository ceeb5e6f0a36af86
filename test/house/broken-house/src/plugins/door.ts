import { up } from '../runtime/up.ts'
import { wall } from '../tools/wall.ts'
export const door: unknown = [up, wall]
