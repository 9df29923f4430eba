// Loaded before the service: from the moment a certain file exists, the disk refuses to keep what is written.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const { fdatasync } = fs;
fs.fdatasync = (fd, done) => {
  if (!fs.existsSync(process.env.DISK_FAILS_WITH)) return fdatasync(fd, done);
  setImmediate(() =>
    done(Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO', syscall: 'fdatasync' })),
  );
};
syncBuiltinESMExports();
