using System.Runtime.InteropServices;

namespace NumaSharp.Playground.Benchmarks.Measurement;

/// <summary>A native library to compare with, and the Debian package that it comes in.</summary>
/// <param name="FileName">As the loader looks for it.</param>
/// <param name="Package">The Debian package.</param>
/// <param name="NeedsStaticTls">See <see cref="StaticTls"/>.</param>
internal sealed record PeerLibrary(string FileName, string Package, bool NeedsStaticTls = false)
{
    /// <summary>
    /// Whether it can be loaded, for good: mimalloc's end of a thread runs when the thread that loaded it ends, and would be at
    /// an address without code.
    /// </summary>
    public bool IsInstalled => NativeLibrary.TryLoad(FileName, out _);

    /// <summary>Fails, naming the packages, when one of them is not installed.</summary>
    public static void Require(IEnumerable<PeerLibrary> libraries)
    {
        var missing = libraries.Distinct().Where(library => !library.IsInstalled).ToArray();
        if (missing.Length > 0)
        {
            throw new BenchmarkException(
                $"cannot be loaded: {string.Join(", ", missing.Select(library => library.FileName))}; "
                + $"install the Debian packages: apt-get install {string.Join(' ', missing.Select(library => library.Package))}");
        }
    }

    /// <summary>Loads it for good. Not into the process's global names, so that nothing else resolves to it.</summary>
    public nint Load() => NativeLibrary.TryLoad(FileName, out var handle)
        ? handle
        : throw new BenchmarkException($"{FileName} cannot be loaded: apt-get install {Package}");
}
