using System.Text;
using Microsoft.Win32.SafeHandles;

namespace NumaSharp.Interop;

/// <summary>Small files of the kernel, or of a captured machine: read whole, up to a limit, without blocking.</summary>
internal static class KernelFile
{
    /// <summary>Far above a mask of the widest kernel (NR_CPUS 8192: 2.3 KB).</summary>
    public const int DefaultLimit = 256 * 1024;

    /// <summary>Opens for reading without blocking, even a FIFO that has no writer.</summary>
    /// <param name="path">The file.</param>
    /// <param name="handle">The file; <see langword="null"/> where the result is a failure.</param>
    /// <exception cref="IOException">As <see cref="File.OpenHandle"/>; never on Linux.</exception>
    public static SysResult Open(string path, out SafeFileHandle? handle)
    {
        if (!OperatingSystem.IsLinux())
        {
            handle = File.OpenHandle(path);
            return default;
        }

        var result = Native.OpenReadOnly(path);
        handle = result.Succeeded ? new SafeFileHandle(result.Value, ownsHandle: true) : null;
        return result;
    }

    /// <summary>Reads a file from its start.</summary>
    /// <returns>The bytes; more than the limit where the file has more.</returns>
    public static ReadOnlySpan<byte> Read(SafeFileHandle handle, int limit)
    {
        var buffer = new byte[4096];
        var length = 0;
        while (length <= limit && RandomAccess.Read(handle, buffer.AsSpan(length), length) is > 0 and var read)
        {
            length += read;
            if (length == buffer.Length)
            {
                Array.Resize(ref buffer, Math.Max(length, Math.Min(length * 2, limit + 1)));
            }
        }

        return buffer.AsSpan(0, length);
    }

    /// <summary>Latin-1 without white space and NULs around it: some kernels print a NUL at the end.</summary>
    public static string TextOf(ReadOnlySpan<byte> bytes) => Encoding.Latin1.GetString(bytes).Trim(' ', '\t', '\n', '\r', '\0');
}
