import { wall } from '../tools/wall.ts'
export const adapter: unknown = wall
