using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace NumaSharp.Interop;

internal static partial class Native
{
    private const int AT_FDCWD = -100;
    private const int AT_EMPTY_PATH = 0x1000;
    private const uint STATX_TYPE = 0x1;
    private const uint STATX_UID = 0x8;

    // S_IFMT, S_IFDIR and S_IFREG of inode(7).
    private const int IFMT = 0xF000;
    private const int IFDIR = 0x4000;
    private const int IFREG = 0x8000;

    /// <summary>The effective user id, which decides the process's access to files.</summary>
    [LibraryImport("libc", EntryPoint = "geteuid")]
    public static partial uint GetEffectiveUser();

    /// <summary>statx(2), following links: the BCL does not report the owner, nor distinguish a FIFO from a file.</summary>
    public static SysResult Statx(string path, out FileFacts facts) => Statx(AT_FDCWD, path, 0, out facts);

    /// <summary>statx(2) of a file that is open.</summary>
    public static SysResult Statx(SafeFileHandle handle, out FileFacts facts) =>
        Statx((int)handle.DangerousGetHandle(), "", AT_EMPTY_PATH, out facts);

    private static unsafe SysResult Statx(int folder, string path, int flags, out FileFacts facts)
    {
        StatxBuffer buffer;
        SysResult result;
        do
        {
            result = SysResult.FromReturn(StatxCall(folder, path, flags, STATX_TYPE | STATX_UID, &buffer));
        }
        while (result.IsInterrupted);
        facts = result.Succeeded
            ? new FileFacts((buffer.Mode & IFMT) == IFREG, (buffer.Mode & IFMT) == IFDIR, buffer.User)
            : default;
        return result;
    }

    [LibraryImport("libc", EntryPoint = "statx", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static unsafe partial int StatxCall(int folder, string path, int flags, uint mask, StatxBuffer* buffer);

    /// <summary>struct statx (include/uapi/linux/stat.h): the same on every architecture.</summary>
    [StructLayout(LayoutKind.Explicit, Size = 256)]
    private struct StatxBuffer
    {
        [FieldOffset(20)]
        public uint User;

        [FieldOffset(28)]
        public ushort Mode;
    }

    private const int O_RDONLY = 0;
    private const int O_NOCTTY = 0x100;
    private const int O_NONBLOCK = 0x800;
    private const int O_CLOEXEC = 0x80000;

    /// <summary>
    /// open(2) for reading with O_NONBLOCK: the BCL's open waits for a writer when the file is a FIFO.
    /// </summary>
    public static SysResult OpenReadOnly(string path)
    {
        SysResult result;
        do
        {
            result = SysResult.FromReturn(Open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
        }
        while (result.IsInterrupted);
        return result;
    }

    [LibraryImport("libc", EntryPoint = "open", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Open(string path, int flags);
}

/// <summary>Type and owner of a file.</summary>
/// <param name="IsRegular">Whether it is a regular file: no folder, FIFO, socket or device.</param>
/// <param name="IsFolder">Whether it is a folder.</param>
/// <param name="User">The owner's user id.</param>
internal readonly record struct FileFacts(bool IsRegular, bool IsFolder, uint User);
