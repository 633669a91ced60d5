using System.Globalization;
using System.Runtime.InteropServices;

namespace NumaSharp.Playground.Benchmarks.Memory.Peers;

/// <summary>mimalloc's own names; the library is loaded at the first use.</summary>
internal static unsafe class Mimalloc
{
    public static readonly delegate* unmanaged[SuppressGCTransition]<nuint, void*> Malloc =
        (delegate* unmanaged[SuppressGCTransition]<nuint, void*>)Export("mi_malloc");

    public static readonly delegate* unmanaged[SuppressGCTransition]<void*, void> Free =
        (delegate* unmanaged[SuppressGCTransition]<void*, void>)Export("mi_free");

    private static nint s_handle;

    /// <summary>Such as 2.0.9, which mi_version says as 209 (since 2.1.8 as 20108).</summary>
    public static string Version
    {
        get
        {
            var number = ((delegate* unmanaged<int>)Export("mi_version"))();
            var (major, minor, patch) = number >= 1000
                ? (number / 10000, number / 100 % 100, number % 100)
                : (number / 100, number / 10 % 10, number % 10);
            return string.Create(CultureInfo.InvariantCulture, $"{major}.{minor}.{patch}");
        }
    }

    /// <summary>Gives free memory back to the system.</summary>
    public static void Collect() => ((delegate* unmanaged<byte, void>)Export("mi_collect"))(1);

    private static nint Export(string name)
    {
        if (s_handle == 0)
        {
            s_handle = MimallocBlocks.Library.Load();
        }

        return NativeLibrary.GetExport(s_handle, name);
    }
}
