namespace Acme.Firmware;

/// <summary>What the vendor's firmware tells: here as a library that only the plugin knows.</summary>
public static class FirmwareTable
{
    public const int CpusPerNode = 2;
    public const long BytesPerNode = 8L << 30;

    public static string Revision => "F7";
}
