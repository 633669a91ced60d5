using System.Runtime.InteropServices;

namespace NumaSharp.Interop;

/// <summary>Owns a descriptor that is not a socket of the BCL: epoll, eventfd, listener and connection sockets.</summary>
internal partial class FileDescriptorHandle : SafeHandle
{
    public FileDescriptorHandle(int descriptor)
        : base(-1, ownsHandle: true) => SetHandle(descriptor);

    /// <summary>The descriptor's number, for callers that keep the handle open.</summary>
    public int Number => (int)handle;

    public override bool IsInvalid => handle < 0;

    /// <summary>Closes the descriptor, or only forgets the number if it may belong to other code by now.</summary>
    public void Release(bool isOurs)
    {
        if (isOurs)
        {
            Dispose();
        }
        else
        {
            SetHandleAsInvalid();
        }
    }

    // close(2): on Linux the descriptor is gone even when close reports EINTR, so it is never repeated.
    protected override bool ReleaseHandle() => Close((int)handle) == 0;

    [LibraryImport("libc", EntryPoint = "close", SetLastError = true)]
    private static partial int Close(int fd);
}
