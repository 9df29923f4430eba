import { mkdir, readdir, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPictureFiles } from '../../src/backends/embedded/picture-files.js';
import { tempDir } from '../support/temp-dir.js';

const PNG = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 1, 2, 3]);

describe('picture files', () => {
  let home: ReturnType<typeof tempDir>;
  let folder: string;
  beforeEach(() => {
    home = tempDir('pictures');
    folder = join(home.path, 'screenshots');
  });
  afterEach(() => home.remove());

  it('give back what was kept, and nothing where nothing was', async () => {
    const pictures = createPictureFiles(folder);
    expect(await pictures.find('task-1')).toBeNull();
    await pictures.keep('task-1', PNG);
    expect(new Uint8Array((await pictures.find('task-1'))!)).toEqual(PNG);
    expect(await pictures.find('task-2')).toBeNull();
    // Another process of the machine has no business with them.
    expect((await stat(join(folder, 'task-1.png'))).mode & 0o077).toBe(0);
  });

  it('keep the later one of two, and leave no draft', async () => {
    const pictures = createPictureFiles(folder);
    await pictures.keep('task-1', PNG);
    await pictures.keep('task-1', PNG.subarray(0, 4));
    expect(await pictures.find('task-1')).toHaveLength(4);
    expect(await readdir(folder)).toEqual(['task-1.png']);
  });

  it('forget what is old, drafts of a killed process included', async () => {
    const pictures = createPictureFiles(folder);
    expect(await pictures.expire(Date.now())).toBe(0);
    for (const id of ['old', 'new']) await pictures.keep(id, PNG);
    await writeFile(join(folder, 'torn.png.draft'), PNG);
    const longAgo = new Date(1_000_000);
    for (const name of ['old.png', 'torn.png.draft']) await utimes(join(folder, name), longAgo, longAgo);
    expect(await pictures.expire(2_000_000)).toBe(2);
    expect(await readdir(folder)).toEqual(['new.png']);
  });

  it.each(['../../etc/passwd', '', 'a/b', 'a.png', 'x'.repeat(65)])('do not follow the name %j', async (id) => {
    const pictures = createPictureFiles(folder);
    await expect(pictures.keep(id, PNG)).rejects.toMatchObject({ code: 'storage_unavailable' });
    await expect(pictures.find(id)).rejects.toMatchObject({ code: 'storage_unavailable' });
  });

  it('say so when the disk does not take them', async () => {
    await mkdir(join(folder, 'task-1.png'), { recursive: true });
    // A directory stands where the file should: it cannot be replaced by one.
    const pictures = createPictureFiles(folder);
    await expect(pictures.keep('task-1', PNG)).rejects.toMatchObject({ code: 'storage_unavailable' });
    expect(await readdir(folder)).toEqual(['task-1.png']);
  });
});
