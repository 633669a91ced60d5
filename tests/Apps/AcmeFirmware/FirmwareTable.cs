namespace Acme.Firmware;

/// <summary>The data of the vendor's firmware, here as a library that only the plugin references.</summary>
public static class FirmwareTable
{
    public const int CpusPerNode = 2;
    public const long BytesPerNode = 8L << 30;

    public static string Revision => "F7";
}
