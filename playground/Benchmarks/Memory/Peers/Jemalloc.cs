using System.Runtime.InteropServices;
using NumaSharp.Playground.Benchmarks.Measurement;

namespace NumaSharp.Playground.Benchmarks.Memory.Peers;

/// <summary>
/// jemalloc, loaded at the first use. Debian's exports malloc itself; other builds have the prefix je_. Both are looked up in
/// the library's own handle, so the process's malloc stays the C library's.
/// </summary>
internal static unsafe class Jemalloc
{
    public static readonly delegate* unmanaged[SuppressGCTransition]<nuint, void*> Malloc =
        (delegate* unmanaged[SuppressGCTransition]<nuint, void*>)Export("malloc");

    public static readonly delegate* unmanaged[SuppressGCTransition]<void*, void> Free =
        (delegate* unmanaged[SuppressGCTransition]<void*, void>)Export("free");

    private static nint s_handle;

    /// <summary>Such as 5.3.0, which mallctl(3) says as 5.3.0-0-g54eaed1d8b56.</summary>
    public static string Version
    {
        get
        {
            byte* text = null;
            var size = (nuint)sizeof(byte*);
            fixed (byte* name = "version"u8)
            {
                var control = (delegate* unmanaged<byte*, void*, nuint*, void*, nuint, int>)Export("mallctl");
                var error = control(name, &text, &size, null, 0);
                return error == 0 && Marshal.PtrToStringUTF8((nint)text) is { } version
                    ? version.Split('-')[0]
                    : throw new BenchmarkException($"{JemallocBlocks.Library.FileName}: mallctl(version) says {error}");
            }
        }
    }

    private static nint Export(string name)
    {
        if (s_handle == 0)
        {
            s_handle = JemallocBlocks.Library.Load();
        }

        return NativeLibrary.TryGetExport(s_handle, $"je_{name}", out var address)
            ? address
            : NativeLibrary.GetExport(s_handle, name);
    }
}
